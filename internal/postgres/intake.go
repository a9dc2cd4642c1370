package postgres

import (
	"context"
	"errors"
	"time"

	"blotter/internal/queue"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

var _ queue.Intake = (*DB)(nil)

// Reserve implements queue.Intake. A reservation without a key stands for itself alone. An
// event without a kind is not appended: a reference stores no blob. Reservations that are
// made at the same instant do not see each other, so that the backlog may go over its
// bounds by as many.
func (db *DB) Reserve(ctx context.Context, r queue.Reservation, d time.Duration, b queue.Backlog, staged receipt.Event) (
	queue.Reservation, *queue.Accepted, error,
) {
	// Refusals and repetitions come in floods; only who may go on begins to write.
	now, err := db.clock(ctx, db.pool)
	var known *queue.Accepted
	if err == nil {
		known, err = mayReserve(ctx, db.pool, r, b, now)
	}
	if err != nil || known != nil {
		return queue.Reservation{}, known, failed("look for a reservation", err)
	}
	err = db.write(ctx, "reserve a key", func(t *tx) (err error) {
		if err := t.reserve(&r, d, staged); err != nil {
			return err
		}
		known, err = accepted(t.ctx, t, r)
		if err == nil && known != nil {
			err = errKnown
		}
		return err
	})
	if errors.Is(err, errKnown) {
		return queue.Reservation{}, known, nil
	}
	if err != nil {
		return queue.Reservation{}, nil, err
	}
	return r, nil, nil
}

// errKnown rolls a reservation back whose key was accepted while it was made.
var errKnown = errors.New("the key was accepted meanwhile")

// mayReserve returns what the key was accepted for, or why it cannot be reserved, or
// neither. What it has to know it reads in one snapshot, so that a key that is accepted
// meanwhile is never taken for one that the backlog keeps out.
func mayReserve(ctx context.Context, q querier, r queue.Reservation, b queue.Backlog, now int64) (*queue.Accepted, error) {
	var (
		known      queue.Accepted
		held, full bool
	)
	args := keyOf(r)
	args["now"], args["tenant_bound"], args["total_bound"] = now, b.Tenant, b.Total
	err := q.QueryRow(ctx, sqlReserveLook, args).Scan(&known.Job, &known.Fingerprint, &held, &full)
	switch {
	case err != nil:
		return nil, err
	case known.Job != "":
		return &known, nil
	case held:
		return nil, queue.ErrInProgress
	case full:
		return nil, queue.ErrFull
	}
	return nil, nil
}

// reserve takes the key, unless another was faster; its index lets one through at a time.
func (t *tx) reserve(r *queue.Reservation, d time.Duration, staged receipt.Event) error {
	until := t.now + d.Milliseconds()
	r.Until = fromMillis(until)
	args := keyOf(*r)
	args["now"] = t.now
	if _, err := t.exec(sqlReserveFree, args); err != nil {
		return err
	}
	args = keyOf(*r)
	args["job"], args["until"], args["staged"] = r.Job, until, staged.Kind != ""
	err := t.QueryRow(t.ctx, sqlReserveAdd, args).Scan(&r.Token)
	if errors.Is(err, pgx.ErrNoRows) {
		return queue.ErrInProgress
	}
	if err != nil || staged.Kind == "" {
		return err
	}
	return t.tell(staged)
}

// accepted returns what a key was accepted for; nil where it was not.
func accepted(ctx context.Context, q querier, r queue.Reservation) (*queue.Accepted, error) {
	var known queue.Accepted
	err := q.QueryRow(ctx, sqlReserveAccepted, keyOf(r)).Scan(&known.Job, &known.Fingerprint)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &known, err
}

// Renew implements queue.Intake.
func (db *DB) Renew(ctx context.Context, r queue.Reservation, d time.Duration) (queue.Reservation, error) {
	err := db.write(ctx, "renew a reservation", func(t *tx) error {
		until := t.now + d.Milliseconds()
		r.Until = fromMillis(until)
		args := t.held(r)
		args["until"] = until
		return t.must(queue.ErrLeaseLost, sqlReserveRenew, args)
	})
	if err != nil {
		return queue.Reservation{}, err
	}
	return r, nil
}

// Abandon implements queue.Intake.
func (db *DB) Abandon(ctx context.Context, r queue.Reservation) error {
	return db.write(ctx, "abandon a reservation", func(t *tx) error {
		_, err := t.exec(sqlReserveAbandon, t.held(r))
		return err
	})
}

// errNotReserved is a mistake of the caller's.
var errNotReserved = errors.New("the job is not the one that was reserved, or has no fingerprint")

// Accept implements queue.Intake.
func (db *DB) Accept(ctx context.Context, r queue.Reservation, fingerprint string, j queue.Job, received receipt.Event) (queue.Job, error) {
	var stored queue.Job
	err := db.write(ctx, "accept a job", func(t *tx) error {
		if j.ID != r.Job || j.Tenant != r.Tenant || fingerprint == "" {
			return errNotReserved
		}
		args := t.held(r)
		args["tenant"], args["key"] = r.Tenant, r.Key
		if err := t.must(queue.ErrLeaseLost, sqlReserveBecome, args); err != nil {
			return err
		}
		j.Key = r.Key
		out, err := t.arrive([]arriving{{j, fingerprint, received}})
		if err != nil {
			return err
		}
		if !out[0].added {
			return errNotTaken
		}
		stored = out[0].job
		return nil
	})
	if err != nil {
		return queue.Job{}, err
	}
	db.policies.stored(j.Policy.Digest)
	return stored, nil
}

func keyOf(r queue.Reservation) named { return named{"tenant": r.Tenant, "key": r.Key} }

// held names a reservation for a step of its holder.
func (t *tx) held(r queue.Reservation) named {
	return named{"job": r.Job, "token": r.Token, "now": t.now}
}

var (
	sqlReserveLook     = query("reserve_look")
	sqlReserveAccepted = query("reserve_accepted")
	sqlReserveFree     = query("reserve_free")
	sqlReserveAdd      = query("reserve_add")
	sqlReserveRenew    = query("reserve_renew")
	sqlReserveAbandon  = query("reserve_abandon")
	sqlReserveBecome   = query("reserve_become")
)

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"
)

var _ queue.Intake = (*DB)(nil)

// Reserve implements queue.Intake. A reservation without a key stands for itself alone. An
// event without a kind is not appended: a reference stores no blob.
func (db *DB) Reserve(ctx context.Context, r queue.Reservation, d time.Duration, b queue.Backlog, staged receipt.Event) (
	queue.Reservation, *queue.Accepted, error,
) {
	// Refusals and repetitions come in floods; only who may go on takes the write lock.
	now, err := db.clock(ctx, db.reader)
	var known *queue.Accepted
	if err == nil {
		known, err = mayReserve(ctx, db.reader, r, b, now)
	}
	if err != nil || known != nil {
		return queue.Reservation{}, known, failed("look for a reservation", err)
	}
	err = db.write(ctx, "reserve a key", func(t *tx) (err error) {
		if known, err = mayReserve(ctx, t, r, b, t.now); err != nil || known != nil {
			return err
		}
		if r.Token, err = t.token(); err != nil {
			return err
		}
		return t.reserve(&r, d, staged)
	})
	if err != nil || known != nil {
		return queue.Reservation{}, known, err
	}
	return r, nil, nil
}

// mayReserve returns what the key was accepted for, or why it cannot be reserved, or
// neither. What it has to know it reads in one snapshot, so that a key that is accepted
// meanwhile is never taken for one that the backlog keeps out.
func mayReserve(ctx context.Context, q querier, r queue.Reservation, b queue.Backlog, now int64) (*queue.Accepted, error) {
	var (
		known      queue.Accepted
		held, full bool
	)
	err := q.QueryRowContext(ctx, sqlReserveLook, append(keyOf(r), sql.Named("now", now),
		sql.Named("tenant_bound", b.Tenant), sql.Named("total_bound", b.Total))...).
		Scan(&known.Job, &known.Fingerprint, &held, &full)
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

func (t *tx) reserve(r *queue.Reservation, d time.Duration, staged receipt.Event) error {
	until := t.now + d.Milliseconds()
	r.Until = fromMillis(until)
	if _, err := t.exec(sqlReserveFree, append(keyOf(*r), sql.Named("now", t.now))...); err != nil {
		return err
	}
	_, err := t.exec(sqlReserveAdd, append(keyOf(*r), sql.Named("job", string(r.Job)),
		sql.Named("token", r.Token), sql.Named("until", until), sql.Named("staged", staged.Kind != ""))...)
	if err != nil || staged.Kind == "" {
		return err
	}
	return t.tell(staged)
}

// Renew implements queue.Intake.
func (db *DB) Renew(ctx context.Context, r queue.Reservation, d time.Duration) (queue.Reservation, error) {
	err := db.write(ctx, "renew a reservation", func(t *tx) error {
		until := t.now + d.Milliseconds()
		r.Until = fromMillis(until)
		return t.must(queue.ErrLeaseLost, sqlReserveRenew, append(t.held(r), sql.Named("until", until))...)
	})
	if err != nil {
		return queue.Reservation{}, err
	}
	return r, nil
}

// Abandon implements queue.Intake.
func (db *DB) Abandon(ctx context.Context, r queue.Reservation) error {
	return db.write(ctx, "abandon a reservation", func(t *tx) error {
		_, err := t.exec(sqlReserveAbandon, t.held(r)...)
		return err
	})
}

// errNotReserved is a mistake of the caller's.
var errNotReserved = errors.New("the job is not the one that was reserved, or has no fingerprint")

// Accept implements queue.Intake.
func (db *DB) Accept(ctx context.Context, r queue.Reservation, fingerprint string, j queue.Job, received receipt.Event) (queue.Job, error) {
	var stored queue.Job
	err := db.write(ctx, "accept a job", func(t *tx) (err error) {
		if j.ID != r.Job || j.Tenant != r.Tenant || fingerprint == "" {
			return errNotReserved
		}
		if err := t.must(queue.ErrLeaseLost, sqlReserveBecome, append(t.held(r), keyOf(r)...)...); err != nil {
			return err
		}
		j.Key = r.Key
		if err := t.insert(j, fingerprint); err != nil {
			return err
		}
		if err := t.tell(received); err != nil {
			return err
		}
		stored, err = t.job(sqlJobByID, sql.Named("id", string(j.ID)))
		return err
	})
	if err != nil {
		return queue.Job{}, err
	}
	return stored, nil
}

// EndReservation implements retention.Store.
func (db *DB) EndReservation(ctx context.Context, job document.ID) error {
	return db.write(ctx, "end a reservation", func(t *tx) error {
		_, err := t.exec(sqlReserveEnd, sql.Named("job", string(job)))
		return err
	})
}

// ForgetReservations implements retention.Store.
func (db *DB) ForgetReservations(ctx context.Context, event func(document.ID) receipt.Event) error {
	now, err := db.clock(ctx, db.reader)
	if err == nil {
		var one int
		err = db.reader.QueryRowContext(ctx, sqlReserveAnyForgettable, sql.Named("now", now)).Scan(&one)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return failed("look for ended reservations", err)
	}
	return db.write(ctx, "forget ended reservations", func(t *tx) error {
		unwritten, err := collect(ctx, t, func(r row) (id document.ID, err error) { return id, r.Scan(&id) },
			sqlReserveUnwritten, sql.Named("now", t.now))
		if err != nil {
			return err
		}
		for _, id := range unwritten {
			if err := t.tell(event(id)); err != nil {
				return err
			}
		}
		_, err = t.exec(sqlReserveForget, sql.Named("now", t.now))
		return err
	})
}

func keyOf(r queue.Reservation) []any {
	return []any{sql.Named("tenant", string(r.Tenant)), sql.Named("key", r.Key)}
}

// held names a reservation for a step of its holder.
func (t *tx) held(r queue.Reservation) []any {
	return []any{sql.Named("job", string(r.Job)), sql.Named("token", r.Token), sql.Named("now", t.now)}
}

var (
	sqlReserveLook           = query("reserve_look")
	sqlReserveFree           = query("reserve_free")
	sqlReserveAdd            = query("reserve_add")
	sqlReserveRenew          = query("reserve_renew")
	sqlReserveAbandon        = query("reserve_abandon")
	sqlReserveEnd            = query("reserve_end")
	sqlReserveBecome         = query("reserve_become")
	sqlReserveAnyForgettable = query("reserve_any_forgettable")
	sqlReserveForget         = query("reserve_forget")
	sqlReserveUnwritten      = query("reserve_unwritten")
)

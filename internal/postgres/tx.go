package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"blotter/internal/document"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// querier is what a transaction and a pool have in common.
type querier interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// tx is one write in a transaction, with an instant at its beginning. It is used as the
// querier that it is, with its own ctx. Events and charges are kept until do has returned
// and are written with the commit, in one turn to the server.
type tx struct {
	querier
	ctx      context.Context
	db       *DB
	now      int64 // by the store's clock, milliseconds
	events   []outgoing
	charges  map[share]*charge
	reached  map[document.Lane]int64 // virtual times at which jobs were lent in their turn
	keeps    keeping
	expected map[share]int64 // when jobs that went back into the queue are ready
	hint     hint            // what others are told of after the commit
}

// outgoing is an event for the outbox; once it is sealed, the job moves to the state.
type outgoing struct {
	body  []byte
	job   document.ID
	state document.State
}

// write runs do in a transaction, which is durable when write returns nil. What do did is
// there as a whole or not at all. what says what was attempted, for the error. Once begun,
// it does not follow the context's end: an interrupted write costs the connection.
func (db *DB) write(ctx context.Context, what string, do func(*tx) error) error {
	return failed(what, db.transact(ctx, do))
}

func (db *DB) transact(ctx context.Context, do func(*tx) error) (err error) {
	return db.transactFrom(ctx, nil, do)
}

// transactFrom is transact for a write whose first step is known beforehand: it goes to the
// server together with the beginning. first may be nil.
func (db *DB) transactFrom(ctx context.Context, first func(*tx, *pgx.Batch), do func(*tx) error) (err error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // destroys a connection that is still in a transaction
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), writeTimeout, errStalled)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errStalled) {
			err = errStalled
		}
	}()
	t := &tx{querier: conn, ctx: ctx, db: db}
	if err := t.begin(first); err != nil {
		return errors.Join(err, rollback(ctx, conn))
	}
	if err := returning(do, t, conn); err != nil {
		return errors.Join(err, rollback(ctx, conn))
	}
	if err := t.commit(); err != nil {
		return err
	}
	db.hints.give(t.hint)
	return nil
}

// returning runs do. Where it does not return (a callback panics), the transaction ends at once:
// the server would only later notice that the connection is gone, and hold the rows until then.
func returning(do func(*tx) error, t *tx, conn *pgxpool.Conn) error {
	returned := false
	defer func() {
		if !returned {
			_ = rollback(t.ctx, conn)
		}
	}()
	err := do(t)
	returned = true
	return err
}

// begin starts the transaction, reads the clock, and takes the first step, in one turn to the
// server.
func (t *tx) begin(first func(*tx, *pgx.Batch)) error {
	var b pgx.Batch
	b.Queue(sqlBegin)
	b.Queue(sqlBegun, named{"offset": t.db.ahead()}).QueryRow(func(row pgx.Row) error { return row.Scan(&t.now) })
	if first != nil {
		first(t, &b)
	}
	return t.SendBatch(t.ctx, &b).Close()
}

// commit writes what was kept for the end.
func (t *tx) commit() error {
	var b pgx.Batch
	t.queueKeeps(&b)
	t.queueEvents(&b)
	t.queueCharges(&b)
	b.Queue(sqlCommit).Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != "COMMIT" { // the error of a failed statement was not heeded
			return errRolledBack
		}
		return nil
	})
	return t.SendBatch(t.ctx, &b).Close()
}

func (t *tx) queueEvents(b *pgx.Batch) {
	if len(t.events) == 0 {
		return
	}
	events, jobs, states := make([][]byte, len(t.events)), make([]document.ID, len(t.events)), make([]document.State, len(t.events))
	for i, e := range t.events {
		events[i], jobs[i], states[i] = e.body, e.job, e.state
	}
	b.Queue(sqlOutboxAddAll, named{"events": events, "jobs": jobs, "states": states, "offset": t.db.ahead()})
}

var errRolledBack = errors.New("the transaction had failed and was rolled back")

// rollback gives the connection back in order; where that fails it is destroyed.
func rollback(ctx context.Context, conn *pgxpool.Conn) error {
	if conn.Conn().IsClosed() {
		return nil // the error is on its way
	}
	_, err := conn.Exec(ctx, sqlRollback)
	return err
}

// exec runs a step and returns how many rows it changed.
func (t *tx) exec(query string, args named) (int64, error) {
	tag, err := t.Exec(t.ctx, query, args)
	return tag.RowsAffected(), err
}

// must runs a step that has to change exactly one row; otherwise it returns none.
func (t *tx) must(none error, query string, args named) error {
	n, err := t.exec(query, args)
	if err == nil && n != 1 {
		return none
	}
	return err
}

// tell appends an event to the outbox that moves no job.
func (t *tx) tell(e receipt.Event) error { return t.outbox(e, "", "") }

// outbox appends an event; once it is sealed, the job moves to the state.
func (t *tx) outbox(e receipt.Event, job document.ID, state document.State) error {
	body, err := encode(e)
	if err != nil {
		return err
	}
	t.events = append(t.events, outgoing{body, job, state})
	t.hint.work = true
	return nil
}

func encode(e receipt.Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode an event: %w", err)
	}
	return body, nil
}

// moved has others told that a job's state changed.
func (t *tx) moved(jobs ...document.ID) { t.hint.jobs = append(t.hint.jobs, jobs...) }

// collect runs a query and scans every row.
func collect[T any](ctx context.Context, q querier, scan func(pgx.Row) (T, error), query string, args named) ([]T, error) {
	rows, err := q.Query(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return scanAll(nil, rows, scan)
}

// into scans every row of a step of a batch, n at most.
func into[T any](out *[]T, n int, scan func(pgx.Row) (T, error)) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*out, err = scanAll(make([]T, 0, n), rows, scan)
		return err
	}
}

func scanAll[T any](out []T, rows pgx.Rows, scan func(pgx.Row) (T, error)) ([]T, error) {
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

var (
	sqlBegin        = query("begin")
	sqlBegun        = query("begun")
	sqlCommit       = query("commit")
	sqlRollback     = query("rollback")
	sqlOutboxAdd    = query("outbox_add")
	sqlOutboxAddAll = query("outbox_add_all")
)

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"
)

// tx is one write in an immediate transaction, with the instant at which that holds the
// write lock.
type tx struct {
	*sql.Tx
	ctx context.Context
	now int64 // by the store's clock, milliseconds

	settings queue.Settings
}

// write runs do in a transaction, which is on disk when write returns nil. What do did is
// there as a whole or not at all. what says what was attempted, for the error.
func (db *DB) write(ctx context.Context, what string, do func(*tx) error) error {
	return failed(what, db.transact(ctx, do))
}

// exec runs a step and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	res, err := t.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// must runs a step that has to change exactly one row; otherwise it returns none.
func (t *tx) must(none error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n != 1 {
		return none
	}
	return err
}

// tell appends an event to the outbox that moves no job.
func (t *tx) tell(e receipt.Event) error { return t.outbox(e, "", "") }

// outbox appends an event; once it is sealed, the job moves to the state.
func (t *tx) outbox(e receipt.Event, job document.ID, state document.State) error {
	body, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	return t.must(errOutbox, sqlOutboxAdd,
		sql.Named("event", body), sql.Named("job", string(job)), sql.Named("state", string(state)), sql.Named("now", t.now))
}

var (
	errOutbox    = errors.New("the outbox did not take the event")
	sqlOutboxAdd = query("outbox_add")
)

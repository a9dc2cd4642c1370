package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"blotter/internal/durable"
)

// Writes that wait for the one writing connection are made in one transaction: what a
// commit costs is the sync of the log, and it costs the same for many. Whoever finds
// nobody writing writes for all who wait by then. Each write is one step of the
// transaction (a savepoint), so that one that fails leaves nothing behind and no other
// notices; and none is told of its success before the transaction is on disk.

// mostTogether bounds how long a write waits for those that were made with it.
const mostTogether = 64

// group is the queue in front of the writing connection.
type group struct {
	mu      sync.Mutex
	waiting []*waitingWrite
	lead    chan struct{} // of one place: who has put something in writes
}

// waitingWrite is one caller's write. What became of it is set before finished is closed.
type waitingWrite struct {
	ctx      context.Context
	do       func(*tx) error
	finished chan struct{}
	err      error
	panicked any // goes on in the caller
}

var errAbandoned = errors.New("the transaction was abandoned")

// transact runs do as one write and returns once it is on disk.
func (db *DB) transact(ctx context.Context, do func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &waitingWrite{ctx: ctx, do: do, finished: make(chan struct{}), err: errAbandoned}
	db.group.join(w)
	select {
	case db.group.lead <- struct{}{}:
		db.leadUntil(w)
	case <-w.finished:
	case <-ctx.Done():
		if db.group.leave(w) {
			return ctx.Err()
		}
		<-w.finished // too late: it is being written
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
	return w.err
}

func (g *group) join(w *waitingWrite) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, w)
}

// leave takes a write back and reports whether it was still waiting.
func (g *group) leave(w *waitingWrite) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, w)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	return i >= 0
}

// take returns those who have waited the longest.
func (g *group) take() []*waitingWrite {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), mostTogether)
	taken := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	return taken
}

// leadUntil writes what waits until w is written, then lets the next one lead.
func (db *DB) leadUntil(w *waitingWrite) {
	defer func() { <-db.group.lead }()
	for {
		select {
		case <-w.finished:
			return
		default:
			db.together(db.group.take())
		}
	}
}

// together makes writes in one transaction.
func (db *DB) together(writes []*waitingWrite) {
	err := errAbandoned
	defer func() { // even where a write ends this goroutine
		for _, w := range writes {
			if w.err == nil {
				w.err = err
			}
			close(w.finished)
		}
	}()
	err = db.commit(writes)
	if err != nil {
		for _, w := range writes {
			if errors.Is(w.err, errAbandoned) {
				w.err = err
			}
		}
	}
}

// commit sets the error of each write that failed by itself; what it returns is of all.
// It does not follow the contexts of the callers: a write that is interrupted would take
// the transaction of the others with it.
func (db *DB) commit(writes []*waitingWrite) error {
	ctx := context.Background()
	raw, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer raw.Rollback() // does nothing after a commit; else the reason is already on its way
	now, err := db.clock(ctx, raw)
	if err != nil {
		return err
	}
	if some, err := steps(tx{Tx: raw, now: now, settings: db.settings}, writes); err != nil || !some {
		return err
	}
	return durable.Around("sqlite.commit", raw.Commit)
}

// steps makes the writes one after the other and reports whether any is to be committed.
// One that is alone needs no savepoint: if it fails, so does the transaction.
func steps(base tx, writes []*waitingWrite) (some bool, err error) {
	if len(writes) == 1 {
		w := writes[0]
		w.err = w.run(w.tx(base))
		return w.err == nil, nil
	}
	for _, w := range writes {
		if err := w.step(base); err != nil {
			return false, err
		}
		some = some || w.err == nil
	}
	return some, nil
}

func (w *waitingWrite) tx(base tx) *tx {
	base.ctx = context.WithoutCancel(w.ctx)
	return &base
}

// step makes one write. It returns an error only where the transaction cannot go on.
func (w *waitingWrite) step(base tx) error {
	t := w.tx(base)
	if _, err := t.exec(sqlSavepoint); err != nil {
		return err
	}
	if w.err = w.run(t); w.err == nil {
		_, err := t.exec(sqlSavepointRelease)
		return err
	}
	if _, err := t.exec(sqlSavepointUndo); err != nil {
		return fmt.Errorf("%w, after which the transaction was gone", w.err) // a full disk, say
	}
	_, err := t.exec(sqlSavepointRelease)
	return err
}

// run keeps a panic for the caller whose write it is.
func (w *waitingWrite) run(t *tx) (err error) {
	defer func() {
		if w.panicked = recover(); w.panicked != nil {
			err = errAbandoned
		}
	}()
	return w.do(t)
}

var (
	sqlSavepoint        = query("savepoint")
	sqlSavepointUndo    = query("savepoint_undo")
	sqlSavepointRelease = query("savepoint_release")
)

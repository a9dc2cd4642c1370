package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

// A step of a lease's holder changes its row only while the token is the job's and the
// deadline lies ahead by the store's clock; the row's lock orders it with whoever ends the
// lease.

// fence holds the tokens of leases, by column.
type fence struct {
	ids    []document.ID
	tokens []int64
}

func (f *fence) add(l queue.Lease) { f.ids, f.tokens = append(f.ids, l.Job), append(f.tokens, l.Token) }

// held is what a step under a lease says of the job: whose call it was, and what it cost.
type held struct {
	account
	nth   int
	until int64
}

func scanHeld(r pgx.Row) (h held, err error) {
	return h, r.Scan(&h.nth, &h.lane, &h.tenant, &h.charged, &h.used, &h.until)
}

// extending is one heartbeat.
type extending struct {
	lease queue.Lease
	d     time.Duration
}

// Extend implements queue.Store.
func (db *DB) Extend(ctx context.Context, l queue.Lease, d time.Duration) (queue.Lease, error) {
	l, err := db.extends.do(ctx, extending{l, d})
	return l, failed("extend a lease", err)
}

func (db *DB) extendTogether(ctx context.Context, calls []*call[extending, queue.Lease]) error {
	slices.SortFunc(calls, func(a, b *call[extending, queue.Lease]) int { return cmp.Compare(a.in.lease.Job, b.in.lease.Job) })
	var f fence
	var ms []int64
	for _, w := range calls {
		f.add(w.in.lease)
		ms = append(ms, w.in.d.Milliseconds())
		w.err = queue.ErrLeaseLost
	}
	var rows []held
	return db.transactFrom(ctx, func(t *tx, b *pgx.Batch) {
		b.Queue(sqlLeaseExtend, named{"ids": f.ids, "tokens": f.tokens, "ms": ms, "offset": t.db.ahead()}).Query(into(&rows, len(calls), scanHeld))
	}, func(t *tx) error {
		for _, h := range rows {
			w := calls[h.nth]
			w.out, w.err = w.in.lease, nil
			w.out.Until = fromMillis(h.until)
			t.settle(h.account)
		}
		return nil
	})
}

// finishing is one end of a job.
type finishing struct {
	lease   queue.Lease
	outcome queue.Outcome
}

// Finish implements queue.Store.
func (db *DB) Finish(ctx context.Context, l queue.Lease, o queue.Outcome) error {
	if !o.Target.Ended() {
		return fmt.Errorf("postgres: finish a job: %q is no end", o.Target)
	}
	_, err := db.work.do(ctx, step{end: &finishing{l, o}})
	return failed("finish a job", err)
}

// ending is the ends of jobs that are written together, by column.
type ending struct {
	calls []*workCall
	fence
	targets, reasons []string
	bytes            []int64
	results          [][]byte
	rows             []held // those whose lease held
}

// endingOf takes the ends in the order of their jobs, in which the rows are locked.
func endingOf(calls []*workCall) *ending {
	slices.SortFunc(calls, func(a, b *workCall) int { return cmp.Compare(a.in.end.lease.Job, b.in.end.lease.Job) })
	e := &ending{calls: calls}
	for _, w := range calls {
		o := w.in.end.outcome
		e.add(w.in.end.lease)
		e.targets, e.reasons = append(e.targets, string(o.Target)), append(e.reasons, string(o.Reason))
		e.bytes, e.results = append(e.bytes, o.Bytes), append(e.results, o.Result)
	}
	return e
}

func (e *ending) begin(t *tx, b *pgx.Batch) {
	if len(e.calls) == 0 {
		return
	}
	b.Queue(sqlLeaseFinish, named{"ids": e.ids, "tokens": e.tokens, "targets": e.targets, "reasons": e.reasons, "bytes": e.bytes,
		"results": e.results, "offset": t.db.ahead()}).Query(into(&e.rows, len(e.calls), scanHeld))
}

// settle leaves what the ends bring with them to the commit.
func (e *ending) settle(t *tx) error {
	for _, h := range e.rows {
		end := e.calls[h.nth].in.end
		t.settle(h.account)
		t.learn(h.account)
		t.moved(end.lease.Job)
		t.keeps.add(end.lease.Job, end.outcome.Keep)
		if err := t.outbox(end.outcome.Event, end.lease.Job, end.outcome.Target); err != nil {
			return err
		}
	}
	return nil
}

// written tells the callers after the commit.
func (e *ending) written() {
	for _, w := range e.calls {
		w.done, w.err = true, queue.ErrLeaseLost
	}
	for _, h := range e.rows {
		e.calls[h.nth].err = nil
	}
	*e = ending{}
}

// keeping says how long keys live, by column.
type keeping struct {
	jobs    []document.ID
	classes []string
	keeps   []int64
}

func (k *keeping) add(job document.ID, by map[string]time.Duration) {
	for class, d := range by {
		k.jobs, k.classes, k.keeps = append(k.jobs, job), append(k.classes, class), append(k.keeps, d.Milliseconds())
	}
}

// queueKeeps dates the keys of jobs that end, by class.
func (t *tx) queueKeeps(b *pgx.Batch) {
	if k := t.keeps; len(k.jobs) > 0 {
		b.Queue(sqlKeyKeep, named{"jobs": k.jobs, "classes": k.classes, "keeps": k.keeps, "offset": t.db.ahead()})
	}
}

// Park implements queue.Store.
func (db *DB) Park(ctx context.Context, l queue.Lease, parked bool) error {
	step := sqlLeaseUnpark
	if parked {
		step = sqlLeasePark
	}
	return db.write(ctx, "park a job", func(t *tx) error { return t.must(queue.ErrLeaseLost, step, t.fence(l)) })
}

func (t *tx) fence(l queue.Lease) named { return named{"id": l.Job, "token": l.Token, "now": t.now} }

// Release implements queue.Store.
func (db *DB) Release(ctx context.Context, l queue.Lease, why reason.Code, notBefore time.Time, event receipt.Event) error {
	givenBack := 0
	if why == reason.QueueStopped {
		givenBack = 1
	}
	return db.write(ctx, "release a job", func(t *tx) error {
		ready := max(t.now, ceilMillis(notBefore))
		args := t.fence(l)
		args["reason"], args["given_back"], args["not_before"] = why, givenBack, ready
		h, err := scanHeld(t.QueryRow(t.ctx, sqlLeaseRelease, args))
		if errors.Is(err, pgx.ErrNoRows) {
			return queue.ErrLeaseLost
		}
		if err != nil {
			return err
		}
		t.settle(h.account)
		t.queued(h.share, ready)
		t.moved(l.Job)
		return t.tell(event)
	})
}

// Stage implements queue.WorkingCopies.
func (db *DB) Stage(ctx context.Context, l queue.Lease, c queue.WorkingCopy, event receipt.Event) error {
	return db.write(ctx, "announce a working copy", func(t *tx) error {
		in := false
		err := t.QueryRow(t.ctx, sqlLeaseCheck, t.fence(l)).Scan(&in)
		if errors.Is(err, pgx.ErrNoRows) {
			return queue.ErrLeaseLost
		}
		if err != nil {
			return err
		}
		_, err = t.exec(sqlCopyAdd, named{"id": c.ID, "job": l.Job, "node": c.Node, "now": t.now, "expires": toMillis(c.Expires)})
		if err != nil {
			return err
		}
		return t.tell(event)
	})
}

// Prolong implements queue.WorkingCopies.
func (db *DB) Prolong(ctx context.Context, l queue.Lease, id string, expires time.Time, event receipt.Event) error {
	return db.write(ctx, "extend a working copy", func(t *tx) error {
		if err := t.must(queue.ErrLeaseLost, sqlLeaseCheck, t.fence(l)); err != nil {
			return err
		}
		err := t.must(queue.ErrLeaseLost, sqlCopyProlong, named{"id": id, "job": l.Job, "expires": toMillis(expires)})
		if err != nil {
			return err
		}
		return t.tell(event)
	})
}

// Unstage implements queue.WorkingCopies.
func (db *DB) Unstage(ctx context.Context, id string, event receipt.Event) error {
	return db.write(ctx, "strike off a working copy", func(t *tx) error {
		n, err := t.exec(sqlCopyRemove, named{"id": id})
		if err != nil || n == 0 {
			return err
		}
		return t.tell(event)
	})
}

// Staged implements queue.WorkingCopies.
func (db *DB) Staged(ctx context.Context, node string) ([]queue.WorkingCopy, error) {
	out, err := collect(ctx, db.pool, scanCopy, sqlCopies, named{"node": node})
	return out, failed("list working copies", err)
}

func scanCopy(r pgx.Row) (c queue.WorkingCopy, err error) {
	var created, expires int64
	err = r.Scan(&c.ID, &c.Job, &c.Node, &created, &expires)
	c.Created, c.Expires = fromMillis(created), fromMillis(expires)
	return c, err
}

var (
	sqlLeaseCheck   = query("lease_check")
	sqlLeaseExtend  = query("lease_extend")
	sqlLeaseFinish  = query("lease_finish")
	sqlLeasePark    = query("lease_park")
	sqlLeaseUnpark  = query("lease_unpark")
	sqlLeaseRelease = query("lease_release")
	sqlKeyKeep      = query("key_keep")
	sqlCopyAdd      = query("copy_add")
	sqlCopyProlong  = query("copy_prolong")
	sqlCopyRemove   = query("copy_remove")
	sqlCopies       = query("copies")
)

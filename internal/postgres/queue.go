package postgres

import (
	"context"
	"errors"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

var (
	_ queue.Store         = (*DB)(nil)
	_ queue.WorkingCopies = (*DB)(nil)
)

// arriving is a job on its way into the queue, with the event that tells of it.
type arriving struct {
	job         queue.Job
	fingerprint string // empty for one that came without a reservation
	received    receipt.Event
}

// arrived is what the store has for it: added, or known before.
type arrived struct {
	job   queue.Job
	added bool
}

// Enqueue implements queue.Store.
func (db *DB) Enqueue(ctx context.Context, j queue.Job, received receipt.Event) (queue.Job, bool, error) {
	a, err := db.enqueues.do(ctx, arriving{job: j, received: received})
	return a.job, a.added, failed("enqueue a job", err)
}

func (db *DB) enqueueTogether(ctx context.Context, calls []*call[arriving, arrived]) error {
	var digests []document.Digest
	err := db.transact(ctx, func(t *tx) error {
		in := make([]arriving, len(calls))
		for i, c := range calls {
			in[i] = c.in
			digests = append(digests, c.in.job.Policy.Digest)
		}
		out, err := t.arrive(in)
		for i := range out {
			calls[i].out = out[i]
			if out[i].job.ID == "" {
				calls[i].err = errNotTaken
			}
		}
		return err
	})
	if err == nil {
		db.policies.stored(digests...)
	}
	return err
}

// errNotTaken: a job of this id is there, or one of this key that was accepted meanwhile.
var errNotTaken = errors.New("the job is there already")

// arrive adds those jobs that are not known, each with its event, and returns what the
// store has for each: nothing, where one that it cannot name stands in the way.
func (t *tx) arrive(in []arriving) ([]arrived, error) {
	if err := t.storePolicies(in); err != nil {
		return nil, err
	}
	out := make([]arrived, len(in))
	all := make([]int, len(in))
	for i := range in {
		all[i] = i
	}
	if err := t.insert(in, all, out); err != nil {
		return nil, err
	}
	// What is missing now lacks a share that expects it, or its key is known.
	missing := absent(out)
	if len(missing) > 0 {
		at := map[share]int64{}
		for _, i := range missing {
			earlier(at, share{in[i].job.Lane, in[i].job.Tenant}, ceilMillis(in[i].job.NotBefore))
		}
		if _, err := t.exec(sqlShareExpect, t.expecting(at)); err != nil {
			return nil, err
		}
		if err := t.insert(in, missing, out); err != nil {
			return nil, err
		}
		if err := t.recall(in, absent(out), out); err != nil {
			return nil, err
		}
	}
	for i, a := range out {
		if a.added {
			if err := t.tell(in[i].received); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func absent(out []arrived) (missing []int) {
	for i := range out {
		if out[i].job.ID == "" {
			missing = append(missing, i)
		}
	}
	return missing
}

// insert adds those of the jobs that their shares expect and whose keys are free.
func (t *tx) insert(in []arriving, which []int, out []arrived) error {
	var c columns
	for _, i := range which {
		c.add(in[i])
	}
	args := c.named()
	args["offset"] = t.db.ahead()
	rows, err := t.Query(t.ctx, sqlEnqueueJob, args)
	if err != nil {
		return err
	}
	var nth int
	var created, notBefore int64
	_, err = pgx.ForEachRow(rows, []any{&nth, &created, &notBefore}, func() error {
		i := which[nth]
		j := in[i].job
		j.State, j.FinalSeq, j.Created, j.NotBefore = document.Queued, -1, fromMillis(created), fromMillis(notBefore)
		out[i] = arrived{j, true}
		return nil
	})
	return err
}

// columns are the values of jobs to be added, by column.
type columns struct {
	ids, tenants, lanes, keys, fingerprints []string
	notBefore, bytes                        []int64
	inputs, digests, sealed                 [][]byte
	names, versions, traces                 []string
}

func (c *columns) add(a arriving) {
	j := a.job
	c.ids, c.tenants, c.lanes = append(c.ids, string(j.ID)), append(c.tenants, string(j.Tenant)), append(c.lanes, string(j.Lane))
	c.keys, c.fingerprints = append(c.keys, j.Key), append(c.fingerprints, a.fingerprint)
	c.notBefore, c.bytes = append(c.notBefore, ceilMillis(j.NotBefore)), append(c.bytes, j.Bytes)
	c.inputs, c.digests, c.sealed = append(c.inputs, j.Input[:]), append(c.digests, j.Policy.Digest[:]), append(c.sealed, j.Sealed)
	c.names, c.versions, c.traces = append(c.names, j.Policy.Name), append(c.versions, j.Policy.Version), append(c.traces, j.Trace)
}

func (c *columns) named() named {
	return named{"ids": c.ids, "tenants": c.tenants, "lanes": c.lanes, "keys": c.keys, "fingerprints": c.fingerprints,
		"not_before": c.notBefore, "inputs": c.inputs, "bytes": c.bytes, "policy_names": c.names, "policy_versions": c.versions,
		"policy_digests": c.digests, "sealed": c.sealed, "traces": c.traces}
}

// recall finds the jobs that stand for the keys of those that were not added.
func (t *tx) recall(in []arriving, missing []int, out []arrived) error {
	var which []int
	tenants, keys := []document.Tenant{}, []string{}
	for _, i := range missing {
		if in[i].job.Key != "" && in[i].fingerprint == "" {
			which, tenants, keys = append(which, i), append(tenants, in[i].job.Tenant), append(keys, in[i].job.Key)
		}
	}
	if len(which) == 0 {
		return nil
	}
	_, err := collect(t.ctx, t, func(r pgx.Row) (struct{}, error) {
		var nth int
		l, err := scanAfter(r, &nth)
		if err == nil {
			out[which[nth]].job = l.Job
		}
		return struct{}{}, err
	}, sqlEnqueueKnown, named{"tenants": tenants, "keys": keys})
	return err
}

// Job implements queue.Store.
func (db *DB) Job(ctx context.Context, id document.ID) (queue.Job, error) {
	j, err := scanJob(db.pool.QueryRow(ctx, sqlJobByID, named{"id": id}))
	return j, failed("read a job", err)
}

func (t *tx) job(id document.ID) (queue.Job, error) {
	return scanJob(t.QueryRow(t.ctx, sqlJobByID, named{"id": id}))
}

// Deliver implements queue.Store.
func (db *DB) Deliver(ctx context.Context, id document.ID) error {
	return db.write(ctx, "mark a job as delivered", func(t *tx) error {
		if _, err := t.exec(sqlDeliverKeep, named{"id": id, "now": t.now}); err != nil {
			return err
		}
		return t.must(queue.ErrNotFound, sqlDeliver, named{"id": id})
	})
}

// Expire implements queue.Store.
func (db *DB) Expire(ctx context.Context, event func(queue.Job) receipt.Event) ([]queue.Job, error) {
	due := false
	if err := db.pool.QueryRow(ctx, sqlExpiredAny, named{"offset": db.ahead()}).Scan(&due); err != nil || !due {
		return nil, failed("look for expired leases", err)
	}
	var expired []queue.Job
	err := db.write(ctx, "expire leases", func(t *tx) (err error) {
		expired, err = t.expire(event)
		return err
	})
	if err != nil {
		return nil, err
	}
	return expired, nil
}

func (t *tx) expire(event func(queue.Job) receipt.Event) (expired []queue.Job, err error) {
	var seqs []int64
	_, err = collect(t.ctx, t, func(r pgx.Row) (struct{}, error) {
		var charged, used int64
		l, err := scanAfter(r, &charged, &used)
		if err == nil {
			s := share{l.Lane, l.Tenant}
			expired, seqs = append(expired, l.Job), append(seqs, l.Arrival)
			t.settle(account{s, charged, used})
			t.queued(s, t.now)
		}
		return struct{}{}, err
	}, sqlExpired, named{"now": t.now})
	if err != nil || len(expired) == 0 {
		return nil, err
	}
	if _, err := t.exec(sqlExpire, named{"seqs": seqs, "reason": reason.QueueLeaseLost, "now": t.now}); err != nil {
		return nil, err
	}
	for _, j := range expired {
		t.moved(j.ID)
		if err := t.tell(event(j)); err != nil {
			return nil, err
		}
	}
	return expired, nil
}

var (
	sqlEnqueueKnown = query("enqueue_known")
	sqlEnqueueJob   = query("enqueue_job")
	sqlJobByID      = query("job_by_id")
	sqlExpiredAny   = query("expired_any")
	sqlExpired      = query("expired")
	sqlExpire       = query("expire")
	sqlDeliverKeep  = query("deliver_keep")
	sqlDeliver      = query("deliver")
)

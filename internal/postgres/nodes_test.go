package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Several pools on one database are several nodes.

const lease = time.Minute

func newJob(tenant document.Tenant) queue.Job {
	id := document.NewID()
	return queue.Job{
		ID: id, Tenant: tenant, Lane: document.Bulk, Input: document.Sum([]byte(id)), Sealed: make([]byte, 300),
		Policy: queue.PolicyRef{Name: "default", Version: "1", Digest: document.Sum([]byte("policy")), Body: []byte("policy")},
	}
}

func event(kind receipt.Kind, id document.ID) receipt.Event {
	return receipt.Event{Schema: receipt.EventSchema, Kind: kind, Job: string(id), Actor: "test"}
}

func claimed(j queue.Job) receipt.Event { return event(receipt.Claimed, j.ID) }

func leaseOf(j queue.Job) queue.Lease {
	return queue.Lease{Job: j.ID, Token: j.Token, Until: j.LeaseUntil}
}

func released(id document.ID) queue.Outcome {
	return queue.Outcome{Target: document.Released, Event: event(receipt.RedactedKind, id)}
}

func enqueue(t testing.TB, db *postgres.DB, j queue.Job) queue.Job {
	t.Helper()
	got, added, err := db.Enqueue(t.Context(), j, event(receipt.Received, j.ID))
	if err != nil || !added {
		t.Fatalf("added %v, %v", added, err)
	}
	return got
}

func claim(t testing.TB, db *postgres.DB, d time.Duration) queue.Job {
	t.Helper()
	j, err := db.Claim(t.Context(), queue.Claim{Lease: d}, claimed)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func count(t testing.TB, db *postgres.DB, query string) int {
	t.Helper()
	n, err := postgres.Count(t.Context(), db, query)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func nodes(t testing.TB, n int) []*postgres.DB {
	c, url := &clock{}, migrated.New(t)
	var out []*postgres.DB
	for range n {
		out = append(out, open(t, url, c))
	}
	return out
}

// Jobs come one by one and for few tenants, so that shares come to rest and wake all the
// time while other nodes claim, give back and end. Whatever happens at once, no job is lent
// twice or left where no claim finds it.
func TestNoJobIsLentTwiceOrStranded(t *testing.T) {
	const perProducer, producers, workers = 60, 6, 9
	dbs := nodes(t, 3)
	var lent sync.Map // token → job
	var ended, made atomic.Int64
	var work sync.WaitGroup
	for p := range producers {
		work.Go(func() {
			for i := range perProducer {
				j := newJob(document.Tenant(fmt.Sprint("t", (p+i)%4)))
				if _, _, err := dbs[p%len(dbs)].Enqueue(t.Context(), j, event(receipt.Received, j.ID)); err != nil {
					t.Error(err)
				}
				made.Add(1)
			}
		})
	}
	worker := func(w int) error {
		db := dbs[w%len(dbs)]
		j, err := db.Claim(t.Context(), queue.Claim{Lease: lease}, claimed)
		if errors.Is(err, queue.ErrNoJob) {
			return nil
		}
		if err != nil {
			return err
		}
		if was, twice := lent.LoadOrStore(j.Token, j.ID); twice {
			return fmt.Errorf("token %d was given for %s and %s", j.Token, was, j.ID)
		}
		switch j.Token % 7 {
		case 0: // gives it back
			return db.Release(t.Context(), leaseOf(j), reason.SourceUnreadable, time.Time{}, event(receipt.Retried, j.ID))
		case 1: // somebody cancels it
			_, err := dbs[(w+1)%len(dbs)].Cancel(t.Context(), j.ID, claimed)
			ended.Add(1)
			return err
		}
		ended.Add(1)
		return db.Finish(t.Context(), leaseOf(j), released(j.ID))
	}
	for w := range workers {
		work.Go(func() {
			for made.Load() < producers*perProducer || ended.Load() < producers*perProducer {
				if err := worker(w); err != nil {
					t.Error(err)
					return
				}
				if made.Load() == producers*perProducer && stranded(t, dbs[0]) > 0 {
					t.Error("a job is queued and no claim can find it")
					return
				}
			}
		})
	}
	work.Wait()
	if n := count(t, dbs[0], "SELECT count(*) FROM jobs WHERE state <> 'sealing'"); n != 0 {
		t.Errorf("%d jobs did not end", n)
	}
	if n := count(t, dbs[0], "SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM lent)"); n != 0 {
		t.Errorf("%d rows stand for jobs that ended", n)
	}
	if n := count(t, dbs[0], "SELECT count(*) FROM (SELECT job FROM outbox WHERE job <> '' GROUP BY job HAVING count(*) > 1) AS twice"); n != 0 {
		t.Errorf("%d jobs ended twice", n)
	}
	if n := count(t, dbs[0], "SELECT count(*) FROM outbox WHERE job <> ''"); n != producers*perProducer {
		t.Errorf("the outbox tells of %d ends", n)
	}
}

// stranded counts the jobs that no claim or expiry finds: queued and not in the line, or
// their share neither active nor waking in time; leased and not on the list of what is lent.
func stranded(t *testing.T, db *postgres.DB) int {
	n, err := postgres.Count(context.WithoutCancel(t.Context()), db, `SELECT count(*) FROM jobs WHERE
		state = 'queued' AND NOT EXISTS (SELECT 1 FROM waiting JOIN shares USING (line)
			WHERE waiting.seq = jobs.seq AND shares.lane = jobs.lane AND shares.tenant = jobs.tenant AND waiting.not_before = jobs.not_before
			AND (active OR (wakes > 0 AND wakes <= jobs.not_before)))
		OR state = 'leased' AND NOT EXISTS (SELECT 1 FROM lent WHERE lent.seq = jobs.seq)`)
	if err != nil {
		t.Error(err)
	}
	return n
}

// A claim that finds nothing of a tenant ready ends its activity, unless somebody is just
// bringing a job.
func TestJobOnItsWayIsFound(t *testing.T) {
	dbs := nodes(t, 2)
	enqueue(t, dbs[0], newJob("clinic"))
	claim(t, dbs[0], lease) // its share is still active, and nothing is ready
	j := newJob("clinic")
	commit := postgres.EnqueueSlowly(t.Context(), dbs[0], j)
	if _, err := dbs[1].Claim(t.Context(), queue.Claim{Lease: lease}, claimed); !errors.Is(err, queue.ErrNoJob) {
		t.Fatal(err)
	}
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	if got := claim(t, dbs[1], lease); got.ID != j.ID {
		t.Errorf("got %s", got.ID)
	}
}

// A job that comes while a claim ends its tenant's activity begins it anew.
func TestJobAfterTheLastIsFound(t *testing.T) {
	dbs := nodes(t, 2)
	enqueue(t, dbs[0], newJob("clinic"))
	claim(t, dbs[0], lease)
	rested := postgres.Transact(t, dbs[1], "SELECT 1 FROM shares FOR UPDATE; UPDATE shares SET active = false")
	j, done := newJob("clinic"), make(chan error)
	go func() {
		_, _, err := dbs[0].Enqueue(t.Context(), j, event(receipt.Received, j.ID))
		done <- err
	}()
	until(func() bool { return count(t, dbs[1], "SELECT count(*) FROM pg_locks WHERE NOT granted") > 0 })
	if err := errors.Join(rested(), <-done); err != nil {
		t.Fatal(err)
	}
	if got := claim(t, dbs[1], lease); got.ID != j.ID {
		t.Errorf("got %s", got.ID)
	}
}

// A lease that runs out is ended by its holder or expired by another node, never both.
func TestEndAndExpiryExcludeEachOther(t *testing.T) {
	url, late := migrated.New(t), &clock{}
	worker, janitor := open(t, url, &clock{}), open(t, url, late)
	late.advance(2 * lease) // as if the worker's write had been on its way for so long
	var finished, lost int
	for range 60 {
		enqueue(t, worker, newJob("clinic"))
		j := claim(t, worker, lease)
		var expired []queue.Job
		var expiring, finishing error
		var both sync.WaitGroup
		both.Go(func() { expired, expiring = janitor.Expire(t.Context(), claimed) })
		both.Go(func() { finishing = worker.Finish(t.Context(), leaseOf(j), released(j.ID)) })
		both.Wait()
		if expiring != nil {
			t.Fatal(expiring)
		}
		switch {
		case finishing == nil && len(expired) == 0:
			finished++
		case errors.Is(finishing, queue.ErrLeaseLost) && len(expired) == 1:
			lost++
			if _, err := worker.Cancel(t.Context(), j.ID, claimed); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("the end gave %v, and %d leases expired", finishing, len(expired))
		}
	}
	t.Logf("%d ended, %d expired", finished, lost)
}

// A heartbeat and the end of a job cross: the end waits for the heartbeat and is made.
func TestEndAfterAHeartbeat(t *testing.T) {
	dbs := nodes(t, 2)
	enqueue(t, dbs[0], newJob("clinic"))
	j := claim(t, dbs[0], lease)
	beaten := postgres.Transact(t, dbs[1], "UPDATE jobs SET lease_until = lease_until + 1000")
	done := make(chan error)
	go func() { done <- dbs[0].Finish(t.Context(), leaseOf(j), released(j.ID)) }()
	until(func() bool { return count(t, dbs[1], "SELECT count(*) FROM pg_locks WHERE NOT granted") > 0 })
	if err := errors.Join(beaten(), <-done); err != nil {
		t.Fatal(err)
	}
	if got, err := dbs[1].Job(t.Context(), j.ID); err != nil || got.State != document.Sealing {
		t.Errorf("the job is %s, %v", got.State, err)
	}
}

func TestNodesMigrateAtOnce(t *testing.T) {
	url := pgtest.New(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			db, err := postgres.Open(t.Context(), url, postgres.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Tell(t.Context(), event(receipt.Staged, "")); err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := count(t, open(t, url, &clock{}), "SELECT count(*) FROM outbox"); n != 6 {
		t.Errorf("%d nodes could write", n)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	url := migrated.New(t)
	if err := postgres.Exec(t.Context(), open(t, url, &clock{}), "UPDATE schema_version SET version = version + 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), url, postgres.Options{}); reason.Of(err) != reason.QueueSchema {
		t.Errorf("got %v", err)
	}
}

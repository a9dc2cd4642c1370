package postgres_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/queue"
	"blotter/receipt"
)

// until spins until a condition of other goroutines holds; the test's own time limit ends
// what never does.
func until(holds func() bool) {
	for !holds() {
		runtime.Gosched()
	}
}

// Ends that are written together have each their own result.
func TestEndsTogetherHaveTheirOwnResults(t *testing.T) {
	db := nodes(t, 1)[0]
	var jobs []queue.Job
	for range 4 {
		enqueue(t, db, newJob("clinic"))
		jobs = append(jobs, claim(t, db, lease))
	}
	leases := []queue.Lease{leaseOf(jobs[0]), leaseOf(jobs[1]), leaseOf(jobs[2]), leaseOf(jobs[3]), leaseOf(jobs[3])}
	leases[1].Token++
	outcomes := make([]queue.Outcome, len(leases))
	for i, l := range leases {
		outcomes[i] = released(l.Job)
	}
	outcomes[2].Reason = "a value that no text column takes: \x00"
	waiting, release := postgres.HoldWork(db)
	errs := make([]error, len(leases))
	var all sync.WaitGroup
	for i := range leases {
		all.Go(func() { errs[i] = db.Finish(t.Context(), leases[i], outcomes[i]) })
	}
	until(func() bool { return waiting() == len(leases) })
	release()
	all.Wait()
	if errs[0] != nil || !errors.Is(errs[1], queue.ErrLeaseLost) || errs[2] == nil || errors.Is(errs[2], queue.ErrLeaseLost) {
		t.Errorf("the ends gave %v", errs)
	}
	if (errs[3] == nil) == (errs[4] == nil) {
		t.Errorf("two ends of one lease gave %v and %v", errs[3], errs[4])
	}
	for i, want := range []document.State{document.Sealing, document.Leased, document.Leased, document.Sealing} {
		if j, err := db.Job(t.Context(), jobs[i].ID); err != nil || j.State != want {
			t.Errorf("job %d is %s, %v", i, j.State, err)
		}
	}
	if n := count(t, db, "SELECT count(*) FROM outbox WHERE job <> ''"); n != 2 {
		t.Errorf("the outbox tells of %d ends", n)
	}
}

// One key gives one job, also where two come with it at once.
func TestKeyInOneWriteAddsOne(t *testing.T) {
	db := nodes(t, 1)[0]
	waiting, release := postgres.HoldEnqueues(db)
	ids := make([]document.ID, 3)
	var all sync.WaitGroup
	for i := range ids {
		j := newJob("clinic")
		j.Key = "k"
		all.Go(func() {
			got, _, err := db.Enqueue(t.Context(), j, event(receipt.Received, j.ID))
			if err != nil {
				t.Error(err)
			}
			ids[i] = got.ID
		})
	}
	until(func() bool { return waiting() == len(ids) })
	release()
	all.Wait()
	if ids[0] == "" || ids[0] != ids[1] || ids[0] != ids[2] {
		t.Errorf("one key gave %v", ids)
	}
	if n := count(t, db, "SELECT count(*) FROM outbox"); n != 1 {
		t.Errorf("the outbox holds %d events", n)
	}
}

// Claims that wait together get jobs of the tenants whose turn it is, and as many as there
// are.
func TestClaimsTogether(t *testing.T) {
	db := nodes(t, 1)[0]
	for range 6 {
		enqueue(t, db, newJob("a"))
	}
	enqueue(t, db, newJob("b"))
	waiting, release := postgres.HoldWork(db)
	const claimers = 10
	jobs, errs := make([]queue.Job, claimers), make([]error, claimers)
	var all sync.WaitGroup
	for i := range claimers {
		all.Go(func() { jobs[i], errs[i] = db.Claim(t.Context(), queue.Claim{Lease: lease}, claimed) })
	}
	left, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := db.Claim(left, queue.Claim{Lease: lease}, claimed)
		gone <- err
	}()
	until(func() bool { return waiting() == claimers+1 })
	leave() // who no longer waits takes no job
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	release()
	all.Wait()
	seen := map[document.ID]bool{}
	for i, j := range jobs {
		if (errs[i] == nil) != (j.ID != "") || (errs[i] != nil && !errors.Is(errs[i], queue.ErrNoJob)) || seen[j.ID] && j.ID != "" {
			t.Errorf("a claim gave %s, %v", j.ID, errs[i])
		}
		seen[j.ID] = true
	}
	if len(seen) != 8 || count(t, db, "SELECT count(*) FROM jobs WHERE state = 'leased'") != 7 {
		t.Errorf("lent %v", seen)
	}
}

// What a caller's own function does to the write is its own trouble.
func TestPanicIsTheCallersOwn(t *testing.T) {
	db := nodes(t, 1)[0]
	enqueue(t, db, newJob("a"))
	enqueue(t, db, newJob("a"))
	waiting, release := postgres.HoldWork(db)
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := db.Claim(t.Context(), queue.Claim{Lease: lease}, claimed); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		defer func() {
			if p := recover(); p != "mine" {
				t.Errorf("panicked with %v", p)
			}
		}()
		_, err := db.Claim(t.Context(), queue.Claim{Lease: lease}, func(queue.Job) receipt.Event { panic("mine") })
		t.Errorf("got %v", err)
	})
	until(func() bool { return waiting() == 2 })
	release()
	all.Wait()
	claim(t, db, lease) // the job that the panic gave back
}

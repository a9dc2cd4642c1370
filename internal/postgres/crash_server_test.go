package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/storetest"
	"blotter/receipt"
)

// load is what workers do to a store whose server crashes, and what they were told.
type load struct {
	db   *postgres.DB
	acts chan struct{} // one for each write that was acknowledged

	mu     sync.Mutex
	taken  []document.ID         // acknowledged as taken in
	ended  map[document.ID]int64 // acknowledged as ended, with the token of the lease
	faults []error
}

// A server that crashes under load comes back with all that was acknowledged, and of the
// rest with whole transactions or nothing: no job is lost, ended twice or short of an event.
func TestServerCrashesUnderLoad(t *testing.T) {
	const crashes, between, workers = 5, 60, 6
	c := pgtest.Own(t, pgtest.Options{})
	clock := &clock{}
	l := &load{db: open(t, c.URL("postgres"), clock), acts: make(chan struct{}, 1<<20), ended: map[document.ID]int64{}}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { l.work(ctx) })
	}
	running.Go(func() { l.seal(ctx) })
	for range crashes {
		for range between {
			<-l.acts
		}
		if err := c.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	running.Wait()
	for _, err := range l.faults {
		t.Error(err)
	}
	l.finishRest(t, clock)
	l.check(t)
}

// try makes a write until it is answered by the store, not by the lack of a server.
func (l *load) try(ctx context.Context, write func() error) error {
	for {
		err := write()
		if code := reason.Of(err); err == nil || code != reason.QueueBusy {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond): // a server that is down refuses at once
		}
	}
}

func (l *load) told(what func()) {
	l.mu.Lock()
	what()
	l.mu.Unlock()
	l.acts <- struct{}{}
}

func (l *load) fault(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, err)
}

// about is an event that names its job, so that the trail finds it.
func about(kind receipt.Kind) func(queue.Job) receipt.Event {
	return func(j queue.Job) receipt.Event { return receipt.Event{Kind: kind, Job: string(j.ID)} }
}

// work takes jobs in and ends what it is lent, until ctx ends.
func (l *load) work(ctx context.Context) {
	for ctx.Err() == nil {
		j := storetest.NewJob()
		j.Key = string(j.ID)
		err := l.try(ctx, func() error {
			got, _, err := l.db.Enqueue(context.WithoutCancel(ctx), j, about(receipt.Received)(j))
			if err == nil && got.ID != j.ID {
				err = fmt.Errorf("one key gave two jobs")
			}
			return err
		})
		l.fault(err)
		if err == nil {
			l.told(func() { l.taken = append(l.taken, j.ID) })
		}
		l.fault(l.endOne(ctx))
	}
}

func (l *load) endOne(ctx context.Context) error {
	var lease queue.Lease
	err := l.try(ctx, func() error {
		j, err := l.db.Claim(context.WithoutCancel(ctx), queue.Claim{Lease: time.Hour}, about(receipt.Claimed))
		lease = queue.Lease{Job: j.ID, Token: j.Token}
		return err
	})
	if errors.Is(err, queue.ErrNoJob) {
		return nil
	}
	if err != nil {
		return err
	}
	o := queue.Outcome{Target: document.Released, Event: about(receipt.RedactedKind)(queue.Job{ID: lease.Job})}
	err = l.try(ctx, func() error { return l.db.Finish(context.WithoutCancel(ctx), lease, o) })
	if errors.Is(err, queue.ErrLeaseLost) {
		return nil // it was written, and the answer lost: the lease itself is an hour long
	}
	if err == nil {
		l.told(func() { l.ended[lease.Job] = lease.Token })
	}
	return err
}

func (l *load) seal(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.try(ctx, func() error { return storetest.Seal(context.WithoutCancel(ctx), l.db) })
		if reason.Of(err) != reason.AuditUnavailable { // written before, and the answer lost
			l.fault(err)
		}
	}
}

// finishRest ends what is left: jobs that wait, and those whose claim was never answered.
func (l *load) finishRest(t *testing.T, c *clock) {
	t.Helper()
	c.advance(time.Hour)
	if _, err := l.db.Expire(t.Context(), about(receipt.LeaseExpired)); err != nil {
		t.Fatal(err)
	}
	for {
		j, err := l.db.Claim(t.Context(), queue.Claim{Lease: time.Hour}, about(receipt.Claimed))
		if errors.Is(err, queue.ErrNoJob) {
			break
		}
		if err == nil {
			o := queue.Outcome{Target: document.Released, Event: about(receipt.RedactedKind)(j)}
			err = l.db.Finish(t.Context(), queue.Lease{Job: j.ID, Token: j.Token}, o)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := storetest.Seal(t.Context(), l.db); err != nil {
		t.Fatal(err)
	}
}

func (l *load) check(t *testing.T) {
	t.Helper()
	size, _, err := l.db.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	storetest.CheckTree(t, l.db, size)
	jobs, err := l.db.Jobs(t.Context(), queue.Filter{Limit: math.MaxInt32})
	if err != nil {
		t.Fatal(err)
	}
	there := map[document.ID]queue.Listed{}
	events := 0
	for _, j := range jobs {
		there[j.ID] = j
		// received, each claim, the expiry of each lease but the last, the end
		want := 1 + j.Attempt + j.Attempt - 1 + 1
		trail, err := l.db.Trail(t.Context(), j.ID, -1, 1000)
		if err != nil || len(trail) != want || j.State != document.Released || j.FinalSeq != trail[want-1].Sequence {
			t.Errorf("job %s is %s after %d attempts with %d events, %v; want %d", j.ID, j.State, j.Attempt, len(trail), err, want)
		}
		events += want
	}
	if int(size) != events {
		t.Errorf("the log has %d events, of jobs %d", size, events)
	}
	for _, id := range l.taken {
		if _, ok := there[id]; !ok {
			t.Errorf("job %s was taken in and is gone", id)
		}
	}
	for id, token := range l.ended {
		if there[id].Token != token {
			t.Errorf("job %s was ended under the token %d and lent again under %d", id, token, there[id].Token)
		}
	}
	t.Logf("%d jobs taken in, %d ended, %d events; %d jobs in all", len(l.taken), len(l.ended), size, len(jobs))
}

package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

func logGrows(s *suite) {
	if size, checkpoint, err := s.Store.Head(s.ctx); size != 0 || checkpoint != nil || err != nil {
		s.Fatalf("an empty log has size %d, checkpoint %q, %v", size, checkpoint, err)
	}
	for range 5 {
		for range 3 {
			s.enqueue()
		}
		s.seal()
	}
	size, checkpoint, err := s.Other.Head(s.ctx)
	if size != 15 || string(checkpoint) != "checkpoint" || err != nil {
		s.Fatalf("size %d, checkpoint %q, %v", size, checkpoint, err)
	}
	CheckTree(s.T, s.Other, size)
	s.told()
	if _, err := s.Store.Entry(s.ctx, size); !errors.Is(err, sql.ErrNoRows) {
		s.Errorf("an entry beyond the end: %v", err)
	}
	if _, err := s.Store.ReadHashes([]int64{0, tlog.StoredHashCount(size)}); err == nil {
		s.Error("a hash beyond the end was read")
	}
}

// CheckTree proves every entry against the root that the stored hashes give.
func CheckTree(t testing.TB, log audit.Log, size int64) {
	t.Helper()
	root, err := tlog.TreeHash(size, log)
	if err != nil {
		t.Fatal(err)
	}
	for n := range size {
		e, err := log.Entry(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := tlog.ProveRecord(size, n, log)
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckRecord(proof, size, root, n, tlog.RecordHash(e.Envelope)); err != nil {
			t.Errorf("entry %d: %v", n, err)
		}
	}
}

// A sequencer that was away finds hundreds of events and makes one batch of them.
func logTakesManyAtOnce(s *suite) {
	const many = 600
	for n := range many {
		s.must(s.Store.Tell(s.ctx, receipt.Event{Kind: receipt.Viewed, Attempt: int64(n)}))
	}
	if got := s.pending(); len(got) != many || got[0].Event.Attempt != 0 || got[many-1].Event.Attempt != many-1 {
		s.Fatalf("%d events wait, not in their order", len(got))
	}
	if few, err := s.Store.Pending(s.ctx, 7); len(few) != 7 || err != nil {
		s.Errorf("asked for 7 events, got %d, %v", len(few), err)
	}
	s.seal()
	size, _, err := s.Other.Head(s.ctx)
	s.must(err)
	if size != many {
		s.Fatalf("the log has size %d, want %d", size, many)
	}
	CheckTree(s.T, s.Other, size)
	s.told()
}

func appendTakesEntriesOfTheSequencer(s *suite) {
	b, err := Batch(s.ctx, s.Store, 2) // outbox ids 0
	s.must(err)
	s.must(s.Store.Append(s.ctx, b))
	CheckTree(s.T, s.Other, 2)
}

func appendRefuses(s *suite) {
	for name, c := range map[string]struct {
		spoil func(*audit.Batch)
		code  reason.Code // Internal: a mistake of the caller
	}{
		"another size":     {func(b *audit.Batch) { shift(b, 1) }, reason.AuditUnavailable},
		"unknown event":    {func(b *audit.Batch) { b.Pending[1] = 999 }, reason.AuditUnavailable},
		"event twice":      {func(b *audit.Batch) { b.Pending[1] = b.Pending[0] }, reason.AuditUnavailable},
		"gap":              {func(b *audit.Batch) { b.Entries[1].Sequence++ }, reason.Internal},
		"too few hashes":   {func(b *audit.Batch) { b.Hashes = b.Hashes[1:] }, reason.Internal},
		"no checkpoint":    {func(b *audit.Batch) { b.Checkpoint = nil }, reason.Internal},
		"missing an event": {func(b *audit.Batch) { b.Pending = b.Pending[1:] }, reason.Internal},
	} {
		s.each(name, func(s *suite) {
			s.enqueue()
			s.enqueue()
			b, err := Batch(s.ctx, s.Store, 2)
			s.must(err)
			b.Pending[0], b.Pending[1] = 1, 2
			c.spoil(&b)
			if err := s.Store.Append(s.ctx, b); reason.Of(err) != c.code {
				s.Errorf("got %v", err)
			}
			s.unsealed(2)
		})
	}
}

// unsealed checks that the log is empty and the outbox is not.
func (s *suite) unsealed(events int) {
	s.Helper()
	if size, checkpoint, err := s.Other.Head(s.ctx); size != 0 || checkpoint != nil || err != nil {
		s.Errorf("the log has size %d, checkpoint %q, %v", size, checkpoint, err)
	}
	if left := s.pending(); len(left) != events {
		s.Errorf("the outbox holds %d events, want %d", len(left), events)
	}
	if _, err := s.Other.Entry(s.ctx, 0); !errors.Is(err, sql.ErrNoRows) {
		s.Errorf("an entry was left: %v", err)
	}
}

// shift moves a batch to another place, as one that was made for a longer log.
func shift(b *audit.Batch, by int64) {
	b.First += by
	for i := range b.Entries {
		b.Entries[i].Sequence += by
	}
	n := tlog.StoredHashCount(b.First+int64(len(b.Entries))) - tlog.StoredHashCount(b.First)
	b.Hashes = make([]tlog.Hash, n)
}

// A sealed end whose job does not wait for it would leave the two in disagreement: nothing
// of the batch is kept.
func appendNeedsTheJobToWait(s *suite) {
	id := s.enqueue()
	s.end(id, document.Released, nil)
	s.must(s.Exec("UPDATE jobs SET state = 'released', target = ''"))
	if err := Seal(s.ctx, s.Store); reason.Of(err) != reason.Internal {
		s.Errorf("got %v", err)
	}
	s.unsealed(3)
}

// Two sequencers that made their batches of the same events: the log takes one.
func appendRaceHasOneWinner(s *suite) {
	const rounds = 10
	for range rounds {
		s.enqueue()
		b, err := Batch(s.ctx, s.Store, 1)
		s.must(err)
		b.Pending[0] = s.pending()[0].ID
		rival := b
		rival.Checkpoint = []byte("rival")
		errs := together(
			func() error { return s.Store.Append(s.ctx, b) },
			func() error { return s.Other.Append(s.ctx, rival) },
		)
		lost := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
		if len(lost) != 1 || reason.Of(lost[0]) != reason.AuditUnavailable {
			s.Fatalf("of two, these lost: %v", lost)
		}
	}
	size, _, err := s.Other.Head(s.ctx)
	s.must(err)
	if size != rounds {
		s.Fatalf("the log has size %d, want %d", size, rounds)
	}
	CheckTree(s.T, s.Store, size)
}

// together runs calls at the same time and returns their errors.
func together(calls ...func() error) []error {
	errs := make([]error, len(calls))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			<-start
			errs[i] = call()
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// The checkpoint that covers a job's end moves the job there and numbers its end; other
// events of it move nothing.
func appendMovesJobs(s *suite) {
	targets := []document.State{document.Released, document.AwaitingReview, document.Rejected, document.Dead}
	var ids []document.ID
	for _, target := range targets {
		id := s.enqueue()
		s.end(id, target, nil)
		ids = append(ids, id)
	}
	running := s.enqueue()
	lease := s.lend(running)
	s.Advance(3 * time.Second)
	numbers := map[document.ID]int64{}
	for n, p := range s.pending() {
		if p.State != "" {
			numbers[p.Job] = int64(n)
		}
	}
	s.seal()
	for i, id := range ids {
		j, err := s.Other.Job(s.ctx, id)
		if err != nil || j.State != targets[i] || j.Target != "" || j.FinalSeq != numbers[id] {
			s.Errorf("the job is %s with the end %d, %v; want %s, %d", j.State, j.FinalSeq, err, targets[i], numbers[id])
		}
		if j.SealTime < 3*time.Second || j.SealTime > time.Minute {
			s.Errorf("its end waited %v for its checkpoint", j.SealTime)
		}
	}
	if j, err := s.Other.Job(s.ctx, running); err != nil || j.State != document.Leased || j.FinalSeq != -1 {
		s.Errorf("the running job is %s with the end %d, %v", j.State, j.FinalSeq, err)
	}
	s.must(s.Store.Finish(s.ctx, lease, queue.Outcome{Target: document.Released})) // its lease holds
}

// No statement rewrites history.
func logCannotBeChanged(s *suite) {
	s.enqueue()
	s.seal()
	for _, statement := range []string{
		"DELETE FROM entries", "UPDATE entries SET sequence = 7", "UPDATE entries SET envelope = hash FROM hashes",
		"DELETE FROM hashes", "UPDATE hashes SET position = 7", "UPDATE hashes SET hash = hash",
		"DELETE FROM log_head", "UPDATE log_head SET size = 0",
		"INSERT INTO entries (sequence, envelope) SELECT sequence, envelope FROM entries",
	} {
		if err := s.Exec(statement); err == nil {
			s.Errorf("%s went through", statement)
		}
	}
	CheckTree(s.T, s.Store, 1)
}

// Waiting tells the ends of the outbox by numbers that only grow.
func waitingEvents(s *suite) {
	last := int64(0)
	for range 3 {
		if oldest, newest, err := s.Store.Waiting(s.ctx); oldest != 0 || newest != 0 || err != nil {
			s.Fatalf("an empty outbox holds %d to %d, %v", oldest, newest, err)
		}
		for range 3 {
			s.must(s.Store.Tell(s.ctx, receipt.Event{Kind: receipt.Viewed}))
		}
		oldest, newest, err := s.Other.Waiting(s.ctx)
		if err != nil || oldest <= last || newest < oldest+2 {
			s.Fatalf("the outbox holds %d to %d after %d, %v", oldest, newest, last, err)
		}
		last = newest
		s.seal()
	}
}

// A trail has the sealed events of one job and no others.
func trailFollowsTheLog(s *suite) {
	jobs := []document.ID{document.NewID(), document.NewID()}
	var want [2][]int64
	for n := range 12 {
		e := receipt.Event{Kind: receipt.Viewed}
		if n%3 < 2 { // the third speaks of no job
			e.Job = string(jobs[n%3])
			want[n%3] = append(want[n%3], int64(n))
		}
		s.must(s.Store.Tell(s.ctx, e))
		if n == 5 {
			s.seal()
		}
	}
	unsealed, err := s.Other.Trail(s.ctx, jobs[0], -1, 100)
	if err != nil || len(unsealed) != 2 {
		s.Errorf("%d events before they were sealed, %v; want 2", len(unsealed), err)
	}
	s.seal()
	for i, id := range jobs {
		s.trail(id, -1, 100, want[i]...)
	}
	s.trail(jobs[1], want[1][1], 1, want[1][2])
	s.trail(document.NewID(), -1, 100)
}

// trail checks the numbers of a job's sealed events, and that each comes with its envelope.
func (s *suite) trail(job document.ID, after int64, n int, want ...int64) {
	s.Helper()
	sealed, err := s.Other.Trail(s.ctx, job, after, n)
	s.must(err)
	var got []int64
	for _, e := range sealed {
		got = append(got, e.Sequence)
		if entry, err := s.Other.Entry(s.ctx, e.Sequence); err != nil || string(entry.Envelope) != string(e.Envelope) {
			s.Errorf("event %d comes with another envelope, %v", e.Sequence, err)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("the trail is %v, want %v", got, want)
	}
}

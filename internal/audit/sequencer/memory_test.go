package sequencer_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"blotter/internal/audit"
	"blotter/internal/audit/sequencer"
	"blotter/internal/reason"
	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// memoryLog is an audit.Log in memory whose writes can fail.
type memoryLog struct {
	mu         sync.Mutex
	lastID     int64
	outbox     []audit.Pending
	entries    []audit.Entry
	hashes     []tlog.Hash
	checkpoint []byte

	around func(write func() error) error // nil: writes succeed
}

func (l *memoryLog) Pending(_ context.Context, n int) ([]audit.Pending, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.outbox[:min(n, len(l.outbox))]), nil
}

func (l *memoryLog) Head(context.Context) (int64, []byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.entries)), l.checkpoint, nil
}

func (l *memoryLog) Append(_ context.Context, b audit.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.around != nil {
		return l.around(func() error { return l.append(b) })
	}
	return l.append(b)
}

func (l *memoryLog) append(b audit.Batch) error {
	if b.First != int64(len(l.entries)) {
		return errors.New("the log has another size")
	}
	left := slices.Clone(l.outbox)
	for _, id := range b.Pending {
		i := slices.IndexFunc(left, func(p audit.Pending) bool { return p.ID == id })
		if id != 0 && i < 0 {
			return errors.New("the outbox lacks an event")
		}
		if id != 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	l.outbox, l.checkpoint = left, b.Checkpoint
	l.entries = append(l.entries, b.Entries...)
	l.hashes = append(l.hashes, b.Hashes...)
	return nil
}

func (l *memoryLog) Entry(_ context.Context, n int64) (audit.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < 0 || n >= int64(len(l.entries)) {
		return audit.Entry{}, errors.New("no such entry")
	}
	return l.entries[n], nil
}

func (l *memoryLog) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at >= int64(len(l.hashes)) {
			return nil, errors.New("no such hash")
		}
		out[i] = l.hashes[at]
	}
	return out, nil
}

// put adds events to the outbox.
func (l *memoryLog) put(events ...receipt.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.lastID++
		l.outbox = append(l.outbox, audit.Pending{ID: l.lastID, Event: e})
	}
}

// copy is a backup.
func (l *memoryLog) copy() *memoryLog {
	return &memoryLog{
		lastID: l.lastID, outbox: slices.Clone(l.outbox), entries: slices.Clone(l.entries),
		hashes: slices.Clone(l.hashes), checkpoint: l.checkpoint,
	}
}

// restore puts a backup back.
func (l *memoryLog) restore(b *memoryLog) {
	c := b.copy()
	l.lastID, l.outbox, l.entries, l.hashes, l.checkpoint = c.lastID, c.outbox, c.entries, c.hashes, c.checkpoint
}

// clock is a time that stands still.
func clock() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

func configOf(dir string, log audit.Log) sequencer.Config {
	return sequencer.Config{Dir: dir, Log: log, Now: clock}
}

func open(t *testing.T, dir string, log audit.Log) *sequencer.Sequencer {
	t.Helper()
	s, err := sequencer.Open(t.Context(), configOf(dir, log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func closeIt(t *testing.T, s *sequencer.Sequencer) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// drain steps until nothing waits.
func drain(t *testing.T, s *sequencer.Sequencer) {
	t.Helper()
	for {
		n, err := s.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// event is told apart from others by its job.
func event(job string) receipt.Event {
	return receipt.Event{Kind: receipt.Received, Job: job, Tenant: "local", Actor: "cli"}
}

// check walks the log and returns the jobs of its received events, in order.
func check(t *testing.T, log audit.Log, trust receipt.TrustList) []string {
	t.Helper()
	size, err := audit.Check(t.Context(), log, trust)
	if err != nil {
		t.Fatalf("the log is not intact: %v", err)
	}
	var jobs []string
	for n := range size {
		entry, err := log.Entry(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		env, err := receipt.Open(entry.Envelope)
		if err != nil {
			t.Fatal(err)
		}
		if env.Event.Kind == receipt.Received {
			jobs = append(jobs, env.Event.Job)
		}
		data, err := audit.Receipt(t.Context(), log, n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := receipt.Verify(data, trust); err != nil {
			t.Fatalf("the receipt of entry %d: %v", n, err)
		}
	}
	return jobs
}

func wantRollback(t *testing.T, what string, err error) {
	t.Helper()
	if reason.Of(err) != reason.AuditRollback {
		t.Errorf("%s: got %v; want %s", what, err, reason.AuditRollback)
	}
}

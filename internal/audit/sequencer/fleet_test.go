package sequencer_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"blotter/internal/audit"
	"blotter/internal/audit/sequencer"
	"blotter/internal/objectstore"
	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/reason"
	"blotter/receipt"
)

// fleet is a log and a bucket that several hosts share. Each has a directory of its own
// and the same key.
type fleet struct {
	t       *testing.T
	log     *memoryLog
	objects *objectstore.Store
	key     string
	seen    map[int64]string // what was ever stored under a number
	queued  int
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	return newFleetAt(t, objectstoretest.Serve(t, nil))
}

func newFleetAt(t *testing.T, bucket string) *fleet {
	t.Helper()
	objects, err := objectstore.Open(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { objects.Close() })
	dir := t.TempDir() // of another log, whose key is taken
	closeIt(t, open(t, dir, &memoryLog{}))
	return &fleet{t: t, log: &memoryLog{}, objects: objects, key: sequencer.KeyPath(dir), seen: map[int64]string{}}
}

// host is one of them; its writes go through around, where that is set.
type host struct {
	*fleet
	dir    string
	around func(what string, write func() error) error
	seq    *sequencer.Sequencer
}

func (f *fleet) host() *host { return &host{fleet: f, dir: f.t.TempDir()} }

func (h *host) config() (sequencer.Config, error) {
	records, err := sequencer.Shared(h.t.Context(), h.objects.Under("records"))
	c := configOf(h.dir, hostLog{h.log, h})
	c.Records, c.Key = hostRecords{records, h}, h.key
	return c, err
}

func (h *host) open() error {
	c, err := h.config()
	if err != nil {
		return err
	}
	h.seq, err = sequencer.Open(h.t.Context(), c)
	if err == nil {
		h.t.Cleanup(func() { h.seq.Close() })
	}
	return err
}

func (h *host) mustOpen() {
	h.t.Helper()
	if err := h.open(); err != nil {
		h.t.Fatal(err)
	}
}

// step seals a batch, or meets another who does; what it may not meet is a rollback.
func (h *host) step() int {
	h.t.Helper()
	n, err := h.seq.Step(h.t.Context())
	if err != nil && reason.Of(err) == reason.AuditRollback {
		h.t.Fatalf("another's work is taken for a rollback: %v", err)
	}
	h.unchanged()
	return n
}

// seal steps until nothing waits, and gives up where no progress is made.
func (h *host) seal() {
	h.t.Helper()
	for range 10 {
		for h.step() > 0 {
		}
		if waiting, _ := h.log.Pending(h.t.Context(), 1); len(waiting) == 0 {
			return
		}
	}
	h.t.Fatal("no progress")
}

func (h *host) write(what string, do func() error) error {
	if h.around == nil {
		return do()
	}
	return h.around(what, do)
}

type hostLog struct {
	*memoryLog
	host *host
}

func (l hostLog) Append(ctx context.Context, b audit.Batch) error {
	return l.host.write("append", func() error { return l.memoryLog.Append(ctx, b) })
}

func (l hostLog) Pending(ctx context.Context, n int) (out []audit.Pending, err error) {
	err = l.host.write("pending", func() error {
		out, err = l.memoryLog.Pending(ctx, n)
		return err
	})
	return out, err
}

type hostRecords struct {
	sequencer.Records
	host *host
}

func (r hostRecords) Put(ctx context.Context, base int64, body []byte) error {
	return r.host.write("put", func() error { return r.Records.Put(ctx, base, body) })
}

// receive puts n events into the outbox.
func (f *fleet) receive(n int) {
	for range n {
		f.log.put(event(fmt.Sprint("j", f.queued)))
		f.queued++
	}
}

// unchanged sees that no number was ever published twice with different bytes.
func (f *fleet) unchanged() {
	f.t.Helper()
	f.log.mu.Lock()
	defer f.log.mu.Unlock()
	for _, e := range f.log.entries {
		if before, known := f.seen[e.Sequence]; known && before != string(e.Envelope) {
			f.t.Fatalf("entry %d was published twice with different bytes", e.Sequence)
		}
		f.seen[e.Sequence] = string(e.Envelope)
	}
}

// whole checks that the log holds each event once, in the order of the outbox.
func (f *fleet) whole(trust receipt.TrustList) {
	f.t.Helper()
	var want []string
	for i := range f.queued {
		want = append(want, fmt.Sprint("j", i))
	}
	if got := check(f.t, f.log, trust); !slices.Equal(got, want) {
		f.t.Errorf("sealed %v; want %v", got, want)
	}
}

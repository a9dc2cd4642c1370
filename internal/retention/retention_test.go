package retention_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blotter/internal/audit/sequencer"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/retention"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

// place is a retention over the real store, whose clock the tests move, and the real vault.
type place struct {
	*testing.T
	*retention.Retention
	dir    string
	db     *sqlite.DB
	offset time.Duration
}

func newPlace(t *testing.T) *place {
	dir := t.TempDir()
	p := &place{T: t, dir: dir}
	var err error
	p.db, err = sqlite.Open(t.Context(), filepath.Join(dir, "blotter.db"), sqlite.Options{Offset: func() time.Duration { return p.offset }})
	p.must(err)
	t.Cleanup(func() { p.db.Close() })
	v, err := vault.Open(t.Context(), filepath.Join(dir, "vault"), filepath.Join(dir, "station.key"), p.db)
	p.must(err)
	t.Cleanup(func() { v.Close() })
	p.Retention = &retention.Retention{Store: p.db, Vault: v, Log: slog.New(slog.DiscardHandler)}
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func told(k receipt.Kind) func(queue.Job) receipt.Event {
	return func(queue.Job) receipt.Event { return said(k) }
}

// said is an event that could be signed.
func said(k receipt.Kind) receipt.Event {
	return receipt.Event{Schema: receipt.EventSchema, Kind: k, Actor: "test", Time: receipt.FormatTime(time.Now())}
}

// seal signs what is in the outbox, so that jobs come to their end.
func (p *place) seal() {
	p.Helper()
	s, err := sequencer.Open(p.Context(), sequencer.Config{Dir: filepath.Join(p.dir, "audit"), Log: p.db, Now: time.Now})
	p.must(err)
	_, err = s.Step(p.Context())
	p.must(errors.Join(err, s.Close()))
}

// enqueue takes in a job with a sealed order.
func (p *place) enqueue() document.ID {
	p.Helper()
	j := queue.Job{ID: document.NewID(), Tenant: document.Local, Lane: document.Bulk, Policy: queue.PolicyRef{Name: "p", Version: "1"}}
	var err error
	j.Sealed, err = p.Vault.Seal(p.Context(), j.ID, []byte("order"))
	p.must(err)
	_, _, err = p.db.Enqueue(p.Context(), j, receipt.Event{Kind: receipt.Received})
	p.must(err)
	return j.ID
}

func (p *place) claim(id document.ID) queue.Lease {
	p.Helper()
	j, err := p.db.Claim(p.Context(), queue.Claim{Only: []document.ID{id}, Lease: time.Hour}, told(receipt.Claimed))
	p.must(err)
	return queue.Lease{Job: id, Token: j.Token}
}

func (p *place) put(r vault.Ref) vault.Ref {
	p.Helper()
	w, err := p.Vault.Put(p.Context(), r)
	p.must(err)
	_, err = io.WriteString(w, "pixels")
	p.must(err)
	p.must(w.Close())
	return r
}

// result is a job that ended with one derivative, kept for the given time.
func (p *place) result(keep time.Duration) vault.Ref {
	p.Helper()
	l := p.claim(p.enqueue())
	r := p.put(vault.Ref{Job: l.Job, Class: vault.Derivative, Token: l.Token, Index: 1})
	p.must(p.db.Finish(p.Context(), l, queue.Outcome{
		Target: document.Released, Event: receipt.Event{Kind: receipt.RedactedKind},
		Keep: map[string]time.Duration{string(vault.Derivative): keep},
	}))
	return r
}

func (p *place) sweep() {
	p.Helper()
	p.must(p.Sweep(p.Context()))
}

// stored checks which blobs there are, of all jobs.
func (p *place) stored(want ...vault.Ref) {
	p.Helper()
	got, err := p.Vault.List(p.Context(), "")
	p.must(err)
	byName := func(a, b vault.Ref) int { return strings.Compare(string(a.Job), string(b.Job)) }
	slices.SortFunc(want, byName)
	if !slices.Equal(got, want) {
		p.Errorf("stored are %v, want %v", got, want)
	}
}

// deleted are the `deleted` events of the retention so far.
func (p *place) deleted() (out []receipt.Event) {
	p.Helper()
	pending, err := p.db.Pending(p.Context(), 1000)
	p.must(err)
	for _, e := range pending {
		if e.Event.Kind == receipt.Deleted {
			out = append(out, e.Event)
		}
	}
	return out
}

func TestExpiredResultIsDestroyedAndTold(t *testing.T) {
	p := newPlace(t)
	woken := 0
	p.Sealed = func() { woken++ }
	r := p.result(time.Hour)
	p.must(p.db.Deliver(t.Context(), r.Job))
	p.offset += 59 * time.Minute
	p.sweep()
	p.stored(r)
	p.offset += time.Minute
	for range 2 { // the second time there is nothing to destroy, nor to tell
		p.sweep()
		p.stored()
		if _, err := p.db.Key(t.Context(), r.Job, r.Class); reason.Of(err) != reason.VaultKeyGone {
			t.Errorf("the key: %v", err)
		}
		e := p.deleted()
		if len(e) != 1 || e[0].Job != string(r.Job) || e[0].Artifact == nil || e[0].Artifact.Class != string(r.Class) || woken != 1 {
			t.Errorf("told %+v, woke the sequencer %d times", e, woken)
		}
	}
}

// A result that waits for its caller is not destroyed under his hands.
func TestUndeliveredResultWaits(t *testing.T) {
	p := newPlace(t)
	r := p.result(0)
	p.offset += 29 * 24 * time.Hour
	p.sweep()
	p.stored(r)
	p.offset += 2 * 24 * time.Hour
	p.sweep()
	p.stored()
}

func TestForgottenOrderIsDestroyed(t *testing.T) {
	p := newPlace(t)
	id := p.enqueue()
	p.offset += 29 * 24 * time.Hour
	p.sweep()
	if n := len(p.deleted()); n != 0 {
		t.Fatalf("%d keys were destroyed early", n)
	}
	p.offset += 24 * time.Hour
	p.sweep()
	j, err := p.db.Job(t.Context(), id)
	if err != nil || j.Sealed != nil || len(p.deleted()) != 1 {
		t.Errorf("the job keeps %d bytes, %v; told %+v", len(j.Sealed), err, p.deleted())
	}
}

// The sweep takes what no result counts and no living worker writes, and only that.
func TestSweepSparesWhatCounts(t *testing.T) {
	p := newPlace(t)
	result := p.result(time.Hour)
	live := p.claim(p.enqueue())
	at := func(token int64, index int) vault.Ref {
		return vault.Ref{Job: live.Job, Class: vault.Derivative, Token: token, Index: index}
	}
	written := p.put(at(live.Token, 1))
	unfinished, err := p.Vault.Put(t.Context(), at(live.Token, 2))
	p.must(err)
	p.put(at(live.Token-1, 1))                                                             // of a worker that lost its lease
	p.put(vault.Ref{Job: document.NewID(), Class: vault.Original, Token: 1, Index: 1})     // of no job
	p.put(vault.Ref{Job: p.enqueue(), Class: vault.Original, Token: live.Token, Index: 1}) // of a job that nobody holds
	p.sweep()
	p.stored(result, written)
	_, err = io.WriteString(unfinished, "pixels")
	p.must(err)
	p.must(unfinished.Close())
	p.sweep()
	if got, err := p.Vault.List(t.Context(), live.Job); err != nil || len(got) != 2 {
		t.Errorf("the living worker has %v, %v", got, err)
	}
}

// A process died between the destruction of a key and the deletion of what it opened.
func TestSweepDeletesWhatNobodyCanRead(t *testing.T) {
	p := newPlace(t)
	r, other := p.result(time.Hour), p.result(time.Hour)
	p.must(p.db.DestroyKey(t.Context(), r.Job, r.Class, receipt.Event{Kind: receipt.Deleted}))
	p.sweep()
	p.stored(other)
	if n := len(p.deleted()); n != 1 {
		t.Errorf("one destruction was told %d times", n)
	}
}

// blind is a store in which some look-up fails.
type blind struct {
	*sqlite.DB
	job, key error
}

func (b blind) Job(ctx context.Context, id document.ID) (queue.Job, error) {
	if b.job != nil {
		return queue.Job{}, b.job
	}
	return b.DB.Job(ctx, id)
}

func (b blind) Key(ctx context.Context, id document.ID, c vault.Class) ([]byte, error) {
	if b.key != nil {
		return nil, b.key
	}
	return b.DB.Key(ctx, id, c)
}

func TestWhatCannotBeJudgedStays(t *testing.T) {
	busy := reason.Because(reason.QueueBusy, nil)
	for name, store := range map[string]blind{"job": {job: busy}, "key": {key: busy}} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			r := p.result(time.Hour)
			store.DB = p.db
			p.Store = store
			if err := p.Sweep(t.Context()); reason.Of(err) != reason.QueueBusy {
				t.Errorf("the sweep says %v", err)
			}
			p.stored(r)
		})
	}
}

package retention_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

// intake is another process that takes documents in, over the same database and vault.
type intake struct {
	*place
	db    *sqlite.DB
	vault *vault.Vault
}

func (p *place) intake() *intake {
	p.Helper()
	offset := sqlite.Options{Offset: func() time.Duration { return p.offset }}
	db, err := sqlite.Open(p.Context(), filepath.Join(p.dir, "blotter.db"), offset)
	p.must(err)
	p.Cleanup(func() { db.Close() })
	v, err := vault.Open(p.Context(), filepath.Join(p.dir, "vault"), filepath.Join(p.dir, "station.key"), db)
	p.must(err)
	p.Cleanup(func() { v.Close() })
	return &intake{p, db, v}
}

// reserve takes a key for a minute, with the event that announces an upload.
func (i *intake) reserve(key string) queue.Reservation {
	i.Helper()
	r := queue.Reservation{Tenant: document.Local, Key: key, Job: document.NewID()}
	held, known, err := i.db.Reserve(i.Context(), r, time.Minute, queue.Backlog{Tenant: 99, Total: 99}, said(receipt.Staged))
	i.must(err)
	if known != nil {
		i.Fatalf("the key is known as %+v", known)
	}
	return held
}

// begin begins an upload and has sent more than one segment of it.
func (i *intake) begin(r queue.Reservation) *vault.Writer {
	i.Helper()
	w, err := i.vault.Upload(i.Context(), r.Job)
	i.must(err)
	_, err = w.Write(make([]byte, 3<<20))
	i.must(err)
	return w
}

// sent is a whole document, with its order.
func (i *intake) sent(key string) queue.Reservation {
	i.Helper()
	r := i.reserve(key)
	i.must(i.begin(r).Close())
	_, err := i.vault.Seal(i.Context(), r.Job, []byte("order"))
	i.must(err)
	return r
}

func (i *intake) accept(r queue.Reservation) document.ID {
	i.Helper()
	sealed, err := i.vault.Seal(i.Context(), r.Job, []byte("order"))
	i.must(err)
	j := queue.Job{
		ID: r.Job, Tenant: r.Tenant, Lane: document.Bulk, Policy: queue.PolicyRef{Name: "p", Version: "1"}, Sealed: sealed,
	}
	_, err = i.db.Accept(i.Context(), r, "print", j, said(receipt.Received))
	i.must(err)
	return j.ID
}

// readable checks whether a job's document can be read.
func (i *intake) readable(id document.ID, want bool) {
	i.Helper()
	rd, err := i.vault.OpenUpload(i.Context(), id)
	if err == nil {
		_, err = io.Copy(io.Discard, rd)
		err = errors.Join(err, rd.Close())
	}
	if (err == nil) != want || (err != nil && reason.Of(err) != reason.VaultKeyGone) {
		i.Errorf("the document of %s: %v", id, err)
	}
}

func uploadOf(id document.ID) vault.Ref { return vault.Ref{Job: id, Class: vault.Upload} }

// destroyedClasses are the classes of a job's keys whose destruction is told, sorted.
func (p *place) destroyedClasses(id document.ID) (out []string) {
	p.Helper()
	for _, e := range p.deleted() {
		if e.Job == string(id) {
			out = append(out, e.Artifact.Class)
		}
	}
	slices.Sort(out)
	return out
}

// An upload under way in another process survives every sweep, however slow it is and
// wherever the sweep falls.
func TestSweepSparesUploadsUnderWay(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	r := i.reserve("k")
	p.sweep()
	w := i.begin(r)
	for range 100 { // far longer than a key without a reservation is given
		p.offset += 50 * time.Second
		_, err := i.db.Renew(t.Context(), r, time.Minute)
		p.must(err)
	}
	p.sweep()
	_, err := w.Write(make([]byte, 1<<20))
	p.must(err)
	p.must(w.Close())
	p.sweep()
	id := i.accept(r)
	p.sweep()
	i.readable(id, true)
	p.stored(uploadOf(id))
	if told := p.destroyedClasses(id); told != nil {
		t.Errorf("destroyed: %v", told)
	}
	l := p.claim(id)
	p.sweep()
	i.readable(id, true)
	p.must(p.db.Release(t.Context(), l, reason.SourceUnreadable, time.Time{}, said(receipt.Retried)))
	p.sweep()
	i.readable(id, true)
}

// Sweeps that run all the time beside requests take nothing from them.
func TestSweepBesideRequests(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := p.Sweep(t.Context()); err != nil {
				done <- err
				return
			}
		}
	}()
	var ids []document.ID
	for n := range 10 {
		ids = append(ids, i.accept(i.sent(fmt.Sprint(n))))
	}
	close(stop)
	p.must(<-done)
	for _, id := range ids {
		i.readable(id, true)
	}
}

// The result of a job that came through the API goes when its time is over, fetched or
// not: the API hands results out as long as they are there, and never calls one delivered.
func TestServedResultGoesInTime(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	l := p.claim(i.accept(i.sent("k")))
	before := p.put(vault.Ref{Job: l.Job, Class: vault.Original, Token: l.Token, Index: 1})
	p.must(p.db.Finish(p.Context(), l, queue.Outcome{
		Target: document.Released, Event: said(receipt.RedactedKind),
		Keep: map[string]time.Duration{string(vault.Original): time.Hour, string(vault.Upload): 0},
	}))
	p.offset += 59 * time.Minute
	p.sweep()
	p.stored(before)
	p.offset += time.Minute
	p.sweep()
	p.stored()
	if told := p.destroyedClasses(l.Job); !slices.Equal(told, []string{"original", "upload"}) {
		t.Errorf("told: %v", told)
	}
}

// What a killed upload left goes as soon as its reservation has run out, whoever comes
// next, and its end is told.
func TestKilledUploadIsDestroyed(t *testing.T) {
	for name, half := range map[string]bool{"half way": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			i := p.intake()
			var lost queue.Reservation
			if half {
				lost = i.reserve("k")
				defer i.begin(lost).Abort()
			} else {
				lost = i.sent("k")
			}
			p.offset += 59 * time.Second
			p.sweep()
			if told := p.destroyedClasses(lost.Job); told != nil {
				t.Fatalf("destroyed early: %v", told)
			}
			p.offset += time.Second
			next := i.accept(i.sent("k")) // takes the key over
			for range 2 {
				p.sweep()
				p.stored(uploadOf(next))
				told := p.destroyedClasses(lost.Job)
				if !slices.Contains(told, "upload") || slices.Contains(told, "task") == half {
					t.Errorf("told: %v", told)
				}
			}
			i.readable(lost.Job, false)
			i.readable(next, true)
		})
	}
}

// A request that fails destroys what it stored at once, and may say so twice.
func TestDropUpload(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	other, r := i.sent("k"), i.sent("another")
	for range 2 {
		p.must(p.DropUpload(t.Context(), r.Job))
		p.stored(uploadOf(other.Job))
		if told := p.destroyedClasses(r.Job); !slices.Equal(told, []string{"task", "upload"}) {
			t.Errorf("told: %v", told)
		}
	}
	_, err := i.db.Accept(t.Context(), r, "print", queue.Job{ID: r.Job, Tenant: r.Tenant, Lane: document.Bulk}, said(receipt.Retried))
	if !errors.Is(err, queue.ErrLeaseLost) {
		t.Errorf("after that it was accepted: %v", err)
	}
	p.sweep()
	p.stored(uploadOf(other.Job))
}

// The answer to an acceptance may be lost while the acceptance stands. Then there is a job,
// and its caller will come again.
func TestDropUploadSparesAJob(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	id := i.accept(i.sent("k"))
	p.must(p.DropUpload(t.Context(), id))
	i.readable(id, true)
	if told := p.destroyedClasses(id); told != nil {
		t.Errorf("destroyed: %v", told)
	}
}

// A cancelled job leaves nothing: not what its client sent, nor what its worker wrote.
func TestCancelledJobIsDestroyed(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	id := i.accept(i.sent("k"))
	l := p.claim(id)
	p.put(vault.Ref{Job: id, Class: vault.Derivative, Token: l.Token, Index: 1})
	unfinished, err := p.Vault.Put(t.Context(), vault.Ref{Job: id, Class: vault.Original, Token: l.Token, Index: 1})
	p.must(err)
	_, err = p.db.Cancel(t.Context(), id, told(receipt.Cancelled))
	p.must(err)
	p.seal()
	p.sweep()
	p.stored()
	if got := p.destroyedClasses(id); !slices.Equal(got, []string{"derivative", "original", "task", "upload"}) {
		t.Errorf("told: %v", got)
	}
	if err := unfinished.Close(); err == nil {
		t.Error("the worker that lost the job stored a blob")
	}
	if _, err := p.Vault.Put(t.Context(), vault.Ref{Job: id, Class: vault.Derivative, Token: l.Token, Index: 2}); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("and began another: %v", err)
	}
	p.sweep()
	p.stored()
}

// A dead job keeps its document until somebody decides; a month is the longest.
func TestDeadJobKeepsItsDocument(t *testing.T) {
	p := newPlace(t)
	i := p.intake()
	id := i.accept(i.sent("k"))
	p.must(p.db.Finish(t.Context(), p.claim(id), queue.Outcome{Target: document.Dead, Event: said(receipt.DeadKind)}))
	p.seal()
	p.offset += 29 * 24 * time.Hour
	p.sweep()
	i.readable(id, true)
	_, err := p.db.Replay(t.Context(), id, told(receipt.Replayed))
	p.must(err)
	p.sweep()
	i.readable(id, true)
	l := p.claim(id)
	p.must(p.db.Finish(t.Context(), l, queue.Outcome{Target: document.Dead, Event: said(receipt.DeadKind)}))
	p.seal()
	p.offset += 24 * time.Hour
	p.sweep()
	p.stored()
	i.readable(id, false)
}

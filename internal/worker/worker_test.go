package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/source"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/internal/worker/workdir"
	"blotter/receipt"
)

// leaseTime is never waited for: tests move the store's clock.
const leaseTime = time.Hour

// station is a worker over the real store and the real vault; only its cells are played.
type station struct {
	*testing.T
	*worker.Worker
	db     *sqlite.DB
	vault  *vault.Vault
	root   string        // of working copies
	offset time.Duration // of the store's clock; the tests use it from one goroutine at a time
	policy policy.Policy
	play   cells
	report cell.Report // what the played cell says besides
	task   wire.Task   // that the cell was given last
}

// cells plays the cell.
type cells func(ctx context.Context, s cell.Sink) error

// Run implements worker.Cells: it refuses what a cell refuses before it opens it.
func (s *station) Run(ctx context.Context, doc *os.File, t wire.Task, sink cell.Sink) (cell.Report, error) {
	s.task = t
	if _, err := io.Copy(io.Discard, doc); err != nil {
		return cell.Report{}, err
	}
	report := s.report
	report.Format = document.PNG
	if slices.Contains(t.Deny, report.Format) {
		return report, reason.Because(reason.PolicyDenied, nil)
	}
	return report, s.play(ctx, sink)
}

func newStation(t *testing.T) *station {
	dir := t.TempDir()
	s := &station{T: t, root: filepath.Join(dir, "work"), policy: policy.Default()}
	var err error
	s.db, err = sqlite.Open(t.Context(), filepath.Join(dir, "blotter.db"), sqlite.Options{Offset: func() time.Duration { return s.offset }})
	s.must(err)
	t.Cleanup(func() { s.db.Close() })
	s.vault, err = vault.Open(t.Context(), filepath.Join(dir, "vault"), filepath.Join(dir, "station.key"), s.db)
	s.must(err)
	t.Cleanup(func() { s.vault.Close() })
	root, err := workdir.OpenRoot(s.root)
	s.must(err)
	s.play = redacts
	s.Worker = &worker.Worker{
		Config: worker.Config{
			Lease: leaseTime, Heartbeat: leaseTime / 3,
			Backoff: queue.Backoff{Base: 1000 * time.Hour, Cap: 1000 * time.Hour, Attempts: 2},
		},
		Store: s.db, Vault: s.vault, Root: root, Log: slog.New(slog.DiscardHandler),
	}
	s.Cells = s
	return s
}

func (s *station) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// bytesOf is what the tests' document holds.
var bytesOf = []byte("the bytes of a document")

// enqueue takes in a job for a file of the command line, changed as the test wants.
func (s *station) enqueue(change func(*queue.Job)) document.ID {
	s.Helper()
	file := filepath.Join(s.TempDir(), "document")
	s.must(os.WriteFile(file, bytesOf, 0o600))
	ref, err := source.File(file)
	s.must(err)
	return s.order(worker.Order{Source: ref}, change)
}

// order takes in a job with its upload, where the order speaks of one.
func (s *station) order(o worker.Order, change func(*queue.Job)) document.ID {
	s.Helper()
	plain, err := o.Plain()
	s.must(err)
	p := s.policy
	j := queue.Job{
		ID: document.NewID(), Tenant: document.Local, Lane: document.Bulk, Input: document.Sum(bytesOf),
		Policy: queue.PolicyRef{Name: p.Name, Version: p.Version, Digest: p.Digest(), Body: p.Canonical()},
	}
	j.Sealed, err = s.vault.Seal(s.Context(), j.ID, plain)
	s.must(err)
	if o.Upload {
		w, err := s.vault.Upload(s.Context(), j.ID)
		s.must(err)
		_, err = w.Write(bytesOf)
		s.must(errors.Join(err, w.Close()))
	}
	if change != nil {
		change(&j)
	}
	_, _, err = s.db.Enqueue(s.Context(), j, worker.Received(j, "test", receipt.Code{}))
	s.must(err)
	return j.ID
}

// picture is what the played cell hands out; the worker never looks into it.
var picture = bytes.Repeat([]byte("pixels "), 1000)

// redacts is a cell that finds one image and redacts it.
func redacts(_ context.Context, s cell.Sink) error {
	if err := hand(s); err != nil {
		return err
	}
	return s.Asset(asset(document.Redacted, ""))
}

// hand gives the worker the derivative of the first image.
func hand(s cell.Sink) error {
	w, err := s.Blob(1, false)
	if err != nil {
		return err
	}
	_, err = w.Write(picture)
	return errors.Join(err, w.Close())
}

func asset(s document.Status, why reason.Code) cell.Asset {
	a := document.Asset{Index: 1, Kind: document.Frame, Frame: 1, Format: document.PNG, Width: 8, Height: 8, Digest: document.Sum(picture)}
	return cell.Asset{Asset: a, Status: s, Reason: why}
}

func fails(code reason.Code) cells {
	return func(context.Context, cell.Sink) error { return reason.Because(code, nil) }
}

func (s *station) next() error {
	_, err := s.Next(s.Context(), worker.Want{})
	return err
}

func (s *station) job(id document.ID) queue.Job {
	s.Helper()
	j, err := s.db.Job(s.Context(), id)
	s.must(err)
	return j
}

// kinds are the kinds of all events so far, in order.
func (s *station) kinds() (out []receipt.Kind) {
	s.Helper()
	pending, err := s.db.Pending(s.Context(), 1000)
	s.must(err)
	for _, p := range pending {
		out = append(out, p.Event.Kind)
	}
	return out
}

func (s *station) count(k receipt.Kind) (n int) {
	s.Helper()
	for _, got := range s.kinds() {
		if got == k {
			n++
		}
	}
	return n
}

func (s *station) hasKey(id document.ID, c vault.Class) bool {
	s.Helper()
	_, err := s.db.Key(s.Context(), id, c)
	if err != nil && reason.Of(err) != reason.VaultKeyGone {
		s.Fatal(err)
	}
	return err == nil
}

// noCopyLeft holds after every attempt, however it went.
func (s *station) noCopyLeft() {
	s.Helper()
	entries, err := os.ReadDir(s.root)
	s.must(err)
	for _, e := range entries {
		if e.IsDir() {
			s.Errorf("working copy %s is left", e.Name())
		}
	}
	if staged, err := s.db.Staged(s.Context(), ""); err != nil || len(staged) != 0 {
		s.Errorf("%d working copies are on record, %v", len(staged), err)
	}
	if in, out := s.count(receipt.Staged), s.count(receipt.Unstaged); in != out {
		s.Errorf("%d copies were staged and %d unstaged", in, out)
	}
}

// TestEnds is the table of what can become of a job: the class of what went wrong alone
// decides, each end is told once, and only a dead job keeps its order.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		policy func(*policy.Policy)
		job    func(*queue.Job)
		before func(*station, document.ID) // the claim
		cell   cells
		target document.State
		why    reason.Code
		staged int
	}{
		"all well": {target: document.Released, staged: 1},
		"no image": {
			cell:   func(context.Context, cell.Sink) error { return nil },
			target: document.Rejected, why: reason.ExtractNoAssets, staged: 1,
		},
		"every image withheld": {
			cell: func(_ context.Context, s cell.Sink) error {
				return s.Asset(asset(document.Withheld, reason.ExtractPixels))
			},
			target: document.Rejected, why: reason.ExtractNothing, staged: 1,
		},
		"redacted without a picture": {
			cell:   func(_ context.Context, s cell.Sink) error { return s.Asset(asset(document.Redacted, "")) },
			target: document.Rejected, why: reason.CellProtocol, staged: 1,
		},
		"permanent": {cell: fails(reason.SniffEmpty), target: document.Rejected, why: reason.SniffEmpty, staged: 1},
		"permanent, with a picture already stored": {
			cell: func(ctx context.Context, s cell.Sink) error {
				return errors.Join(redacts(ctx, s), reason.Because(reason.CellCrashed, nil))
			},
			target: document.Rejected, why: reason.CellCrashed, staged: 1,
		},
		"the operator's": {cell: fails(reason.PolicyInvalid), target: document.Dead, why: reason.PolicyInvalid, staged: 1},
		"the last transient failure": {
			before: (*station).loseOneLease,
			cell:   fails(reason.SourceUnreadable), target: document.Dead, why: reason.SourceUnreadable, staged: 1,
		},
		"attempts used up": {
			before: func(s *station, id document.ID) { s.loseOneLease(id); s.loseOneLease(id) },
			target: document.Dead, why: reason.QueueAttempts,
		},
		"another policy than was pinned": {
			job:    func(j *queue.Job) { j.Policy.Digest = document.Sum(nil) },
			target: document.Dead, why: reason.PolicyInvalid,
		},
		"another document than was promised": {
			job:    func(j *queue.Job) { j.Input = document.Sum(nil) },
			target: document.Rejected, why: reason.SourceDigest, staged: 1,
		},
		"too long": {
			policy: func(p *policy.Policy) { p.Limits.SourceBytes = int64(len(bytesOf)) - 1 },
			target: document.Rejected, why: reason.SourceBytes, staged: 1,
		},
		"a denied format": {
			policy: func(p *policy.Policy) { p.DenyMediaTypes = []string{"image/png"} },
			target: document.Rejected, why: reason.PolicyDenied, staged: 1,
		},
		"an order that was destroyed": {
			before: func(s *station, id document.ID) {
				s.must(s.db.DestroyKey(s.Context(), id, vault.Task, receipt.Event{Kind: receipt.Deleted}))
			},
			target: document.Rejected, why: reason.VaultKeyGone,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t)
			if c.policy != nil {
				c.policy(&s.policy)
			}
			id := s.enqueue(c.job)
			if c.before != nil {
				c.before(s, id)
			}
			if c.cell != nil {
				s.play = c.cell
			}
			s.must(s.next())
			s.ended(id, c.target, c.why)
			if got := s.count(receipt.Staged); got != c.staged {
				t.Errorf("%d working copies were made, want %d", got, c.staged)
			}
			if err := s.next(); !errors.Is(err, queue.ErrNoJob) {
				t.Errorf("an ended job was claimed again: %v", err)
			}
		})
	}
}

// loseOneLease is a worker that claims the job and is never heard of again.
func (s *station) loseOneLease(document.ID) {
	s.Helper()
	_, err := s.db.Claim(s.Context(), queue.Claim{Lease: leaseTime}, func(queue.Job) receipt.Event { return receipt.Event{Kind: receipt.Claimed} })
	s.must(err)
	s.offset += leaseTime
	s.must(s.ExpireLeases(s.Context()))
}

// ended checks what must hold of every job that ended.
func (s *station) ended(id document.ID, target document.State, why reason.Code) {
	s.Helper()
	j := s.job(id)
	if j.State != document.Sealing || j.Target != target || j.Reason != why {
		s.Errorf("the job is %s towards %q for %q; want %s, %q", j.State, j.Target, j.Reason, target, why)
	}
	pending, err := s.db.Pending(s.Context(), 1000)
	s.must(err)
	ends := 0
	for _, p := range pending {
		if p.Job == id {
			ends++
			if p.Event.State != string(target) || p.Event.Reason != string(why) {
				s.Errorf("its event says %s for %q", p.Event.State, p.Event.Reason)
			}
		}
	}
	if ends != 1 {
		s.Errorf("its end was told %d times", ends)
	}
	if dead := target == document.Dead; s.hasKey(id, vault.Task) != dead || (j.Sealed != nil) != dead {
		s.Errorf("%s: the order stands: key %v, %d bytes", target, s.hasKey(id, vault.Task), len(j.Sealed))
	}
	blobs, err := s.vault.List(s.Context(), id)
	s.must(err)
	if released := target.Releases(); released != (len(blobs) == 1) || released != s.hasKey(id, vault.Derivative) {
		s.Errorf("%s: %d blobs are stored", target, len(blobs))
	}
	s.noCopyLeft()
}

func TestDerivativeIsStoredAsItCame(t *testing.T) {
	s := newStation(t)
	id := s.enqueue(nil)
	s.must(s.next())
	r, err := s.vault.Open(t.Context(), vault.Ref{Job: id, Class: vault.Derivative, Token: s.job(id).Token, Index: 1})
	s.must(err)
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, picture) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	want := []receipt.Kind{receipt.Received, receipt.Claimed, receipt.Staged, receipt.Unstaged, receipt.RedactedKind, receipt.Deleted}
	if got := s.kinds(); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func TestNextKeepsToWhatIsWanted(t *testing.T) {
	s := newStation(t)
	interactive := s.enqueue(func(j *queue.Job) { j.Lane = document.Interactive })
	bulk, other := s.enqueue(nil), s.enqueue(nil)
	for _, c := range []struct {
		want worker.Want
		got  document.ID
	}{{worker.Want{Only: []document.ID{other}}, other}, {worker.Want{Lane: document.Bulk}, bulk}, {worker.Want{}, interactive}} {
		if got, err := s.Next(t.Context(), c.want); err != nil || got != c.got {
			t.Errorf("%+v: %s, %v", c.want, got, err)
		}
	}
}

func TestTransientFailureIsTriedAgainLater(t *testing.T) {
	s := newStation(t)
	id := s.enqueue(nil)
	s.play = fails(reason.SourceUnreadable)
	s.must(s.next())
	j := s.job(id)
	if j.State != document.Queued || j.Reason != reason.SourceUnreadable || j.Attempt != 1 || s.count(receipt.Retried) != 1 {
		t.Errorf("the job is %+v", j)
	}
	s.noCopyLeft()
	if err := s.next(); !errors.Is(err, queue.ErrNoJob) { // the pause is drawn from 1000 hours
		t.Errorf("tried again at once: %v", err)
	}
	s.offset += s.Config.Backoff.Cap
	s.play = redacts
	s.must(s.next())
	s.ended(id, document.Released, "")
}

// A worker that was taken for dead comes back: the job is another's, and nothing that
// the first one does may show.
func TestLostLeaseWritesNothing(t *testing.T) {
	for name, ending := range map[string]error{"success": nil, "failure": reason.Because(reason.SniffEmpty, nil)} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t)
			id := s.enqueue(nil)
			var taken queue.Job
			s.play = func(ctx context.Context, sink cell.Sink) error {
				err := redacts(ctx, sink)
				s.offset += leaseTime
				s.must(s.ExpireLeases(t.Context()))
				taken, _ = s.db.Claim(t.Context(), queue.Claim{Lease: leaseTime}, func(queue.Job) receipt.Event { return receipt.Event{Kind: receipt.Claimed} })
				return errors.Join(err, ending)
			}
			s.must(s.next())
			if j := s.job(id); taken.ID != id || j.State != document.Leased || j.Token != taken.Token || j.Result != nil || j.Sealed == nil {
				t.Errorf("the job is %+v", j)
			}
			s.offset += 365 * 24 * time.Hour
			now, err := s.db.Now(t.Context())
			s.must(err)
			keys, err := s.db.ExpiredKeys(t.Context(), now, 10)
			s.must(err)
			if slices.ContainsFunc(keys, func(k vault.KeyName) bool { return k.Class != vault.Task }) {
				t.Errorf("it dated keys: %v", keys)
			}
			if n := s.count(receipt.RedactedKind) + s.count(receipt.RejectedKind) + s.count(receipt.Retried) + s.count(receipt.Deleted); n != 0 {
				t.Errorf("it told %v", s.kinds())
			}
			s.noCopyLeft()
		})
	}
}

// A worker that is told to stop gives its job back at once, and the attempt with it.
func TestStopGivesTheJobBack(t *testing.T) {
	s := newStation(t)
	id := s.enqueue(nil)
	stopped := errors.New("told to stop")
	for range 3 { // more often than there are attempts
		ctx, stop := context.WithCancelCause(t.Context())
		s.play = func(ctx context.Context, _ cell.Sink) error {
			stop(stopped)
			<-ctx.Done()
			return ctx.Err()
		}
		if _, err := s.Next(ctx, worker.Want{}); !errors.Is(err, stopped) {
			t.Errorf("the worker returned %v", err)
		}
		if j := s.job(id); j.State != document.Queued || j.Reason != reason.QueueStopped || j.Attempt != 0 {
			t.Errorf("the job is %+v", j)
		}
		s.noCopyLeft()
	}
	s.play = redacts
	s.must(s.next())
	s.ended(id, document.Released, "")
}

// What a job leaves is dated by its pinned policy; what a dead one left is needed again
// when it is replayed.
func TestEndDatesWhatIsKept(t *testing.T) {
	for target, play := range map[document.State]cells{
		document.Released: redacts,
		document.Dead: func(ctx context.Context, s cell.Sink) error {
			return errors.Join(redacts(ctx, s), reason.Because(reason.PolicyInvalid, nil))
		},
	} {
		s := newStation(t)
		s.policy.Retention.Derivatives = time.Hour
		s.play = play
		id := s.enqueue(nil)
		s.must(s.next())
		s.must(s.db.Deliver(t.Context(), id))
		derivative := vault.KeyName{Job: id, Class: vault.Derivative}
		for _, passed := range []time.Duration{59 * time.Minute, time.Minute} {
			s.offset += passed
			now, err := s.db.Now(t.Context())
			s.must(err)
			keys, err := s.db.ExpiredKeys(t.Context(), now, 10)
			s.must(err)
			want := target == document.Released && passed == time.Minute
			if slices.Contains(keys, derivative) != want || !s.hasKey(id, vault.Derivative) {
				t.Errorf("%s: %v later to be destroyed: %v", target, passed, keys)
			}
		}
	}
}

package worker_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blotter/internal/audit/sequencer"
	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/source"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/receipt"
)

// uploaded reports what the vault has of a job's upload.
func (s *station) uploaded(id document.ID) []byte {
	s.Helper()
	r, err := s.vault.OpenUpload(s.Context(), id)
	if reason.Of(err) == reason.VaultKeyGone {
		return nil
	}
	s.must(err)
	got, err := io.ReadAll(r)
	s.must(errors.Join(err, r.Close()))
	return got
}

func TestUploadIsFetchedAndKeptForItsTime(t *testing.T) {
	s := newStation(t)
	s.policy.Retention = policy.Retention{Uploads: time.Hour, Derivatives: 10 * time.Hour}
	id := s.order(worker.Order{Upload: true}, nil)
	s.must(s.next())
	if j := s.job(id); j.Target != document.Released || j.Bytes != int64(len(bytesOf)) {
		t.Fatalf("the job is %+v", j)
	}
	if !bytes.Equal(s.uploaded(id), bytesOf) {
		t.Error("the upload is gone")
	}
	for _, want := range []bool{false, true} {
		keys, err := s.expired()
		s.must(err)
		if got := slices.Contains(keys, vault.KeyName{Job: id, Class: vault.Upload}); got != want {
			t.Errorf("to be destroyed: %v, want the upload: %v", keys, want)
		}
		s.offset += time.Hour
	}
}

func (s *station) expired() ([]vault.KeyName, error) {
	now, err := s.db.Now(s.Context())
	s.must(err)
	return s.db.ExpiredKeys(s.Context(), now, 10)
}

// A lasting reason destroys the upload at once; what may be tried or replayed keeps it.
func TestUploadOfAJobThatFailed(t *testing.T) {
	for code, kept := range map[reason.Code]bool{
		reason.SniffVideo: false, reason.CellCrashed: false, reason.PolicyInvalid: true, reason.CellKilled: true,
	} {
		s := newStation(t)
		s.policy.Retention.Uploads = 0
		s.play = fails(code)
		id := s.order(worker.Order{Upload: true}, nil)
		s.must(s.next())
		blobs, err := s.vault.List(t.Context(), id)
		s.must(err)
		if got := s.uploaded(id) != nil; got != kept || len(blobs) == 1 != kept {
			t.Errorf("%s: the upload is there: %v, with %d blobs", code, got, len(blobs))
		}
		if keys, err := s.expired(); err != nil || len(keys) != 0 {
			t.Errorf("%s: to be destroyed: %v, %v", code, keys, err)
		}
		if !kept {
			continue
		}
		if s.job(id).Target == document.Dead {
			s.replay(id)
		}
		s.offset += s.Config.Backoff.Cap
		s.play = redacts
		s.must(s.next())
		if j := s.job(id); j.Target != document.Released {
			t.Errorf("%s: tried again: %+v", code, j)
		}
	}
}

// replay is an operator's, once the end is sealed.
func (s *station) replay(id document.ID) {
	s.Helper()
	s.seal()
	_, err := s.db.Replay(s.Context(), id, func(j queue.Job) receipt.Event { return receipt.Event{Kind: receipt.Replayed, Job: string(j.ID)} })
	s.must(err)
}

// The tenants' governed stores are asked for what the order names.
func TestGovernedDocument(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		prefixes []string // at the time of the fetch
		target   document.State
		why      reason.Code
	}{
		{[]string{"local=file://" + dir}, document.Released, ""},
		{nil, document.Rejected, reason.SourceOutside},
	} {
		s := newStation(t)
		s.must(os.WriteFile(filepath.Join(dir, "document"), bytesOf, 0o600))
		stores, err := source.Open(source.Config{Prefixes: []string{"file://" + dir}})
		s.must(err)
		ref, err := stores.Parse(document.Local, "file://"+dir+"/document")
		s.must(err)
		s.Sources, err = source.Open(source.Config{Prefixes: c.prefixes})
		s.must(err)
		id := s.order(worker.Order{Source: ref}, nil)
		s.must(s.next())
		s.ended(id, c.target, c.why)
	}
}

func TestGovernedDocumentNeedsStores(t *testing.T) {
	s := newStation(t)
	id := s.order(worker.Order{Source: source.Ref{Scheme: "file", Path: "/etc/passwd", Tenant: document.Local}}, nil)
	s.must(s.next())
	s.ended(id, document.Rejected, reason.SourceDenied)
}

// What the policy forbids of tenants and sources is not fetched, and not tried again.
func TestForbiddenOrigin(t *testing.T) {
	upload := worker.Order{Upload: true}
	governed := worker.Order{Source: source.Ref{Scheme: "s3", Bucket: "scans", Path: "a", Tenant: document.Local}}
	file := worker.Order{Source: source.Ref{Scheme: "file", Path: "/absent"}}
	for name, c := range map[string]struct {
		sources, tenants []string
		order            worker.Order
	}{
		"upload": {[]string{"upload"}, nil, upload},
		"store":  {[]string{"gs", "s3"}, nil, governed},
		"cli":    {[]string{"cli"}, nil, file},
		"tenant": {nil, []string{"local"}, upload},
	} {
		s := newStation(t)
		s.policy.DenySources, s.policy.DenyTenants = c.sources, c.tenants
		id := s.order(c.order, nil)
		s.must(s.next())
		s.ended(id, document.Rejected, reason.PolicyDenied)
		if j := s.job(id); j.Attempt != 1 || s.count(receipt.Staged) != 0 {
			t.Errorf("%s: %d attempts, told %v", name, j.Attempt, s.kinds())
		}
	}
	s := newStation(t)
	s.policy.DenySources, s.policy.DenyTenants = []string{"cli", "file", "s3"}, []string{"locals"}
	id := s.order(upload, nil)
	s.must(s.next())
	if j := s.job(id); j.Target != document.Released {
		t.Errorf("forbidden without a reason: %+v", j)
	}
}

// The cell is told what the policy and the order say, each limit at its tightest.
func TestTask(t *testing.T) {
	s := newStation(t)
	s.policy.DenyMediaTypes = []string{"image/tiff"}
	s.policy.Limits.AssetPixels, s.policy.Limits.Frames = 1000, 7
	s.order(worker.Order{Upload: true}, nil)
	s.must(s.next())
	if got := s.task; got.Limits != s.policy.Limits || got.OneImage || !slices.Equal(got.Deny, []document.Format{document.TIFF}) {
		t.Errorf("the task is %+v", got)
	}
	s.order(worker.Order{Upload: true, Small: true}, nil)
	s.must(s.next())
	want := s.policy.Limits
	want.SourceBytes, want.TotalPixels, want.Frames, want.Pages, want.Assets = 1<<20, 2_000_000, 1, 1, 1
	if got := s.task; got.Limits != want || !got.OneImage {
		t.Errorf("the task of a small order is %+v", got)
	}
}

func TestSmallOrderIsFetchedToItsLimit(t *testing.T) {
	large := bytes.Repeat(bytesOf, 1+worker.SmallBytes/len(bytesOf))
	file := filepath.Join(t.TempDir(), "document")
	for small, want := range map[bool]document.State{true: document.Rejected, false: document.Released} {
		s := newStation(t)
		s.must(os.WriteFile(file, large, 0o600))
		ref, err := source.File(file)
		s.must(err)
		id := s.order(worker.Order{Source: ref, Small: small}, func(j *queue.Job) { j.Input = document.Sum(large) })
		s.must(s.next())
		if j := s.job(id); j.Target != want {
			t.Errorf("small %v: %s for %q", small, j.Target, j.Reason)
		}
	}
}

// seal signs what was told so far, as the sequencer does.
func (s *station) seal() {
	s.Helper()
	seq, err := sequencer.Open(s.Context(), sequencer.Config{Dir: filepath.Join(s.TempDir(), "audit"), Log: s.db, Now: time.Now})
	s.must(err)
	_, err = seq.Step(s.Context())
	s.must(errors.Join(err, seq.Close()))
}

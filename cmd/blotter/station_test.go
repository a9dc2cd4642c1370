package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blotter/internal/app"
	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

// The tests of this package drive the real program as its user does. It is built once,
// without cgo; the crash tests use a second build with the tag crashpoints. Tests run
// beside each other: much of their time is waiting, for a lease to run out or a process
// to end. Each has a data directory and ports of its own.

var (
	plainBinary = sync.OnceValues(func() (string, error) { return build("nodynamic") })
	crashBinary = sync.OnceValues(func() (string, error) { return build("nodynamic,crashpoints") })
	buildDir    string
)

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "blotter-test-*"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

func build(tags string) (string, error) {
	path := filepath.Join(buildDir, strings.ReplaceAll(tags, ",", "-"), "blotter")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-tags", tags, "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
}

func program(t *testing.T) string {
	t.Helper()
	path, err := plainBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// station is a data directory and the commands run on it.
type station struct {
	t    *testing.T
	data string
	env  []string // on top of the process's own
}

func newStation(t *testing.T, env ...string) *station {
	return &station{t: t, data: filepath.Join(t.TempDir(), "data"), env: env}
}

// ran is what a command did.
type ran struct {
	out, err string
	exit     int // −1: killed by a signal
}

// lease is how long a station's claims last without a heartbeat: the shortest that may be
// configured, because whoever comes after a kill waits for its end.
const lease = time.Second

func (s *station) command(binary string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "BLOTTER_DATA="+s.data, "BLOTTER_LOG_LEVEL=debug", "BLOTTER_QUEUE_LEASE="+lease.String())
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

func (s *station) run(binary string, args ...string) ran {
	s.t.Helper()
	cmd := s.command(binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// redact runs `blotter redact` into a fresh directory and returns it with the results.
func (s *station) redact(wantExit int, args ...string) (string, []receipt.Result) {
	s.t.Helper()
	out := filepath.Join(s.t.TempDir(), "out")
	r := s.run(program(s.t), append([]string{"redact", "--json", "--out", out}, args...)...)
	if r.exit != wantExit {
		s.t.Fatalf("redact ended with %d, want %d:\n%s%s", r.exit, wantExit, r.out, r.err)
	}
	return out, results(s.t, r.out)
}

func results(t *testing.T, lines string) []receipt.Result {
	t.Helper()
	var out []receipt.Result
	dec := json.NewDecoder(strings.NewReader(lines))
	for dec.More() {
		var r receipt.Result
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// open opens the station's store and vault beside no running command.
func (s *station) open() (*sqlite.DB, *vault.Vault) {
	s.t.Helper()
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(s.data, "blotter.db"), sqlite.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { db.Close() })
	v, err := vault.Open(ctx, filepath.Join(s.data, "vault"), filepath.Join(s.data, "station.key"), db)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { v.Close() })
	return db, v
}

// events walks the log, which must verify as a whole.
func (s *station) events(db *sqlite.DB) []receipt.Event {
	s.t.Helper()
	ctx := context.Background()
	trust, err := app.ReadTrust(app.TrustFile(s.data))
	if err != nil {
		s.t.Fatal(err)
	}
	size, err := audit.Check(ctx, db, trust)
	if err != nil {
		s.t.Fatalf("the log does not verify: %v", err)
	}
	var out []receipt.Event
	for n := range size {
		e, err := db.Entry(ctx, n)
		if err != nil {
			s.t.Fatal(err)
		}
		opened, err := receipt.Open(e.Envelope)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, opened.Event)
	}
	return out
}

// checkAtRest demands what must hold when no command runs any more: every job ended
// once, its trail is whole, no working copy is left, and no blob that no result counts.
func (s *station) checkAtRest() {
	s.t.Helper()
	db, v := s.open()
	defer db.Close()
	defer v.Close()
	ends, copies := map[string]int{}, map[string]int{}
	jobs := map[string]bool{}
	for _, e := range s.events(db) {
		switch e.Kind {
		case receipt.Received:
			jobs[e.Job] = true
		case receipt.RedactedKind, receipt.RejectedKind, receipt.DeadKind, receipt.Cancelled:
			ends[e.Job]++
		case receipt.Staged:
			if vault.Class(e.Artifact.Class) != vault.Upload { // an upload has a retention of its own
				copies[e.Artifact.ID]++
			}
		case receipt.Unstaged:
			copies[e.Artifact.ID]--
		}
	}
	for id := range jobs {
		s.checkJob(db, document.ID(id), ends[id])
	}
	for id, n := range copies {
		if n != 0 {
			s.t.Errorf("working copy %s was made and not deleted, or deleted twice (%+d)", id, n)
		}
	}
	s.checkFiles(db, v)
}

func (s *station) checkJob(db *sqlite.DB, id document.ID, ends int) {
	s.t.Helper()
	j, err := db.Job(context.Background(), id)
	if err != nil {
		s.t.Error(err)
		return
	}
	if !j.State.Ended() || ends != 1 || j.FinalSeq < 0 {
		s.t.Errorf("job %s is %s with %d ends, final event %d", id, j.State, ends, j.FinalSeq)
	}
	if j.Sealed != nil && j.State != document.Dead {
		s.t.Errorf("job %s kept its order", id)
	}
}

func (s *station) checkFiles(db *sqlite.DB, v *vault.Vault) {
	s.t.Helper()
	ctx := context.Background()
	refs, err := v.List(ctx, "")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range refs {
		j, err := db.Job(ctx, r.Job)
		if errors.Is(err, queue.ErrNotFound) || err == nil && r.Class != vault.Upload && j.Token != r.Token {
			s.t.Errorf("blob %v belongs to no result", r)
		}
	}
	if pending, err := db.Pending(ctx, 1); err != nil || len(pending) != 0 {
		s.t.Errorf("events wait in the outbox: %v, %v", pending, err)
	}
	entries, err := os.ReadDir(filepath.Join(s.data, "work"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".gate" {
			s.t.Errorf("working copy %s was left behind", e.Name())
		}
	}
}

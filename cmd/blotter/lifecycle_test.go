package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// running is a command under way.
type running struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func (s *station) start(args ...string) *running {
	s.t.Helper()
	r := &running{Cmd: s.command(program(s.t), args...)}
	r.Stdout, r.Stderr = &r.out, &r.err
	if err := r.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { r.Process.Kill() })
	return r
}

func (r *running) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := r.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func (r *running) exit(t *testing.T) int {
	t.Helper()
	var exit *exec.ExitError
	if err := r.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return r.ProcessState.ExitCode()
}

// patience is how long a test waits for another process, and interval how often it
// looks: what happens there gives no signal here. A machine that does much else takes
// minutes for what takes seconds alone.
const (
	patience = 15 * time.Minute
	interval = 10 * time.Millisecond
)

// awaitJob looks until the station's only job is as wanted.
func (s *station) awaitJob(want func(queue.Job) bool) queue.Job {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	path := filepath.Join(s.data, "blotter.db")
	var db *sqlite.DB
	var last queue.Job
	for {
		if db == nil {
			db = openIfThere(ctx, path)
		} else if j, ok := onlyJob(ctx, db); ok {
			if last = j; want(j) {
				db.Close()
				return j
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("the job never came to be as the test wants it; at last it was %+v", last)
		}
	}
}

// openIfThere opens a store that another process makes.
func openIfThere(ctx context.Context, path string) *sqlite.DB {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil
	}
	return db
}

// onlyJob finds the one job that was received.
func onlyJob(ctx context.Context, db *sqlite.DB) (queue.Job, bool) {
	received := receivedJobs(ctx, db)
	for id := range received {
		j, err := db.Job(ctx, document.ID(id))
		return j, err == nil && len(received) == 1
	}
	return queue.Job{}, false
}

// receivedJobs finds every job whose arrival is on record, in the outbox or in the log.
func receivedJobs(ctx context.Context, db *sqlite.DB) map[string]bool {
	received := map[string]bool{}
	note := func(e receipt.Event) {
		if e.Kind == receipt.Received {
			received[e.Job] = true
		}
	}
	waiting, err := db.Pending(ctx, 1000)
	for _, p := range waiting {
		note(p.Event)
	}
	size, _, headErr := db.Head(ctx)
	for n := int64(0); errors.Join(err, headErr) == nil && n < size; n++ {
		if e, err := db.Entry(ctx, n); err == nil {
			if opened, err := receipt.Open(e.Envelope); err == nil {
				note(opened.Event)
			}
		}
	}
	return received
}

// page writes a document that keeps a cell busy for a second or more.
func page(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.docx")
	body, err := os.ReadFile(filepath.Join("..", "..", "examples", "report.docx"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, body)
	return path
}

func isLeased(j queue.Job) bool { return j.State == document.Leased }

// A process that is told to stop gives its job back at once; the next one ends it.
func TestTerminatedProcessGivesItsJobBack(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		s, file := newStation(t), page(t)
		r := s.start("redact", "--out", filepath.Join(t.TempDir(), "out"), file)
		s.awaitJob(isLeased)
		r.signal(t, sig)
		if code := r.exit(t); code != 1 || !strings.Contains(r.err.String(), "reason: queue.stopped") {
			t.Errorf("%v: exit %d:\n%s", sig, code, r.err.String())
		}
		if j := s.awaitJob(func(queue.Job) bool { return true }); j.State != document.Queued {
			t.Errorf("%v: the job is %s", sig, j.State)
		}
		s.recovers(file)
	}
}

// A worker that was frozen past its lease, while another did the work, can change
// nothing when it wakes up: the job has one end and one result.
func TestFrozenWorkerCannotWrite(t *testing.T) {
	t.Parallel()
	s, file := newStation(t), page(t)
	frozenOut := filepath.Join(t.TempDir(), "frozen")
	frozen := s.start("redact", "--json", "--out", frozenOut, file)
	first := s.awaitJob(isLeased)
	s.freeze(frozen)
	second := s.start("redact", "--json", "--out", filepath.Join(t.TempDir(), "second"), file)
	// The frozen process also holds the signing key, so the job waits in sealing.
	taken := s.awaitJob(func(j queue.Job) bool { return j.Token > first.Token && j.State == document.Sealing })
	frozen.signal(t, syscall.SIGCONT)
	if code := second.exit(t); code != 0 {
		t.Fatalf("the second worker ended with %d:\n%s", code, second.err.String())
	}
	if code := frozen.exit(t); code != 0 {
		t.Fatalf("the frozen worker ended with %d:\n%s", code, frozen.err.String())
	}
	if now := s.awaitJob(func(queue.Job) bool { return true }); now.Token != taken.Token {
		t.Errorf("the job's token is %d, after %d ended it", now.Token, taken.Token)
	}
	a, b := results(t, frozen.out.String()), results(t, second.out.String())
	if len(a) != 1 || len(b) != 1 || a[0].Assets[0].Derivative.SHA256 != b[0].Assets[0].Derivative.SHA256 {
		t.Errorf("two results for one job:\n%+v\n%+v", a, b)
	}
	s.checkAtRest()
}

// freeze stops a process at an instant at which it holds no transaction: SQLite's lock
// would freeze everybody else.
func (s *station) freeze(r *running) {
	s.t.Helper()
	db := openIfThere(context.Background(), filepath.Join(s.data, "blotter.db"))
	if db == nil {
		s.t.Fatal("the store cannot be opened")
	}
	defer db.Close()
	for range 100 {
		r.signal(s.t, syscall.SIGSTOP)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := db.Deliver(ctx, document.NewID()) // a write that changes nothing
		cancel()
		if errors.Is(err, queue.ErrNotFound) {
			return
		}
		r.signal(s.t, syscall.SIGCONT)
	}
	s.t.Fatal("the process was never met outside a transaction")
}

// A database restored from a backup lacks what was signed since: nothing is signed
// beside it, and nothing is handed out.
func TestRestoredDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	s, file := newStation(t), tiny(t)
	s.redact(0, file)
	path := filepath.Join(s.data, "blotter.db")
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.redact(0, file)
	write(t, path, backup)
	out := filepath.Join(t.TempDir(), "out")
	r := s.run(program(t), "redact", "--out", out, file)
	if r.exit != 1 || !strings.Contains(r.err, "reason: audit.log_rolled_back") {
		t.Errorf("exit %d:\n%s%s", r.exit, r.out, r.err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("something was handed out: %v, %v", entries, err)
	}
}

// A cell that somebody else kills (the host's memory killer) is no fault of the
// document: the job is tried again and ends.
func TestKilledCellIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, file := newStation(t, "BLOTTER_QUEUE_BACKOFF_BASE=100ms"), page(t)
	r := s.start("redact", "--json", "--out", filepath.Join(t.TempDir(), "out"), file)
	s.awaitJob(isLeased)
	killed := false
	for _, pid := range children(t, r.Process.Pid) {
		killed = syscall.Kill(pid, syscall.SIGKILL) == nil || killed
	}
	if !killed {
		t.Fatal("there was no cell to kill")
	}
	if code := r.exit(t); code != 0 {
		t.Fatalf("exit %d:\n%s", code, r.err.String())
	}
	if got := results(t, r.out.String()); got[0].State != "released" {
		t.Errorf("state %s, reason %s", got[0].State, got[0].Reason)
	}
	s.checkAtRest()
}

// What lies in the database is only as good as the disk, or whoever writes there: a
// result that is not what was signed is not handed out, nor is a name in it followed.
func TestForgedResultIsNotHandedOut(t *testing.T) {
	t.Parallel()
	s, file := newStation(t), tiny(t)
	s.redact(0, file)
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, "blotter.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec(`UPDATE jobs SET delivered = 0, result = CAST(replace(replace(CAST(result AS TEXT),
		'asset-0001.png', '../../../forged.png'), '"status":"redacted"', '"status":"released"') AS BLOB)`)
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	out, got := s.redact(0, file)
	if len(got) != 1 || got[0].Assets[0].Status != "redacted" || got[0].Assets[0].Derivative.File != "asset-0001.png" {
		t.Errorf("the forged result was handed out: %+v", got)
	}
	if r := s.run(program(t), "verify", out); r.exit != 0 {
		t.Errorf("verify: %s", r.out)
	}
	if received, _ := s.jobs(); received != 2 { // one would be the forged one, taken up again
		t.Errorf("%d jobs were received", received)
	}
	for _, dir := range []string{out, filepath.Dir(out), filepath.Dir(filepath.Dir(out))} {
		if forged, err := filepath.Glob(filepath.Join(dir, "forged.png")); err != nil || len(forged) > 0 {
			t.Errorf("written: %v, %v", forged, err)
		}
	}
	s.checkAtRest()
}

package main_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"blotter/internal/app"
	"blotter/internal/audit/sequencer"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// take finds a part of the last command's output and keeps it in a variable.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take NAME 'expression with (a part)'")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("%q was not found", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// absent demands that no file of a directory holds a text.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: absent text directory")
	}
	read := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if strings.Contains(string(body), args[0]) {
			ts.Fatalf("%s holds what it must not hold", path)
		}
		read++
		return err
	}))
	if read == 0 {
		ts.Fatalf("there was nothing to look at")
	}
}

// abandon kills `blotter redact` while it works on a document in a fresh data directory.
func abandon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: abandon document directory")
	}
	binary, err := plainBinary()
	ts.Check(err)
	cmd := exec.Command(binary, "redact", ts.MkAbs(args[0]), "--out", ts.MkAbs(args[1]))
	cmd.Env = os.Environ()
	for _, name := range []string{"BLOTTER_DATA", "BLOTTER_QUEUE_LEASE", "XDG_CACHE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(cmd.Start())
	leased := awaitLease(filepath.Join(ts.Getenv("BLOTTER_DATA"), "blotter.db"))
	ts.Check(errors.Join(leased, cmd.Process.Kill()))
	if err := cmd.Wait(); err == nil {
		ts.Fatalf("the command had ended before it was killed")
	}
}

// awaitLease looks until the store's only job is being worked on.
func awaitLease(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var db *sqlite.DB
	for {
		if db == nil {
			db = openIfThere(ctx, path)
		} else if j, ok := onlyJob(ctx, db); ok && isLeased(j) {
			return db.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("the job was never worked on")
		}
	}
}

// What a person does beside a running service, which holds the signing key, is signed by
// that service; the command ends once it is.
func TestDeskWaitsForTheSigner(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	if r := s.run(program(t), "keys", "add", "--tenant", "ward", "--role", "client"); r.exit != 0 {
		t.Fatalf("keys add ended with %d: %s", r.exit, r.err)
	}
	db, _ := s.open()
	seq, err := sequencer.Open(t.Context(), sequencer.Config{
		Dir: filepath.Dir(app.TrustFile(s.data)), Log: db, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer seq.Close()
	r := s.start("keys", "add", "--tenant", "ward", "--role", "reader")
	for waiting := 0; waiting == 0; {
		pending, err := db.Pending(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		waiting = len(pending)
	}
	if r.out.Len() > 0 {
		t.Errorf("the key was shown before its event was signed")
	}
	if n, err := seq.Step(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d events were signed: %v", n, err)
	}
	if code := r.exit(t); code != 0 || !strings.HasPrefix(r.out.String(), "blotter_") {
		t.Errorf("keys add ended with %d: %s%s", code, r.out.String(), r.err.String())
	}
	granted := 0
	for _, e := range s.events(db) {
		if e.Kind == receipt.AccessGranted && e.Actor == "cli" {
			granted++
		}
	}
	if granted != 2 {
		t.Errorf("%d of 2 keys are on record", granted)
	}
}

// A key whose making cannot be signed is not handed out.
func TestUnsignedKeyIsNotShown(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	path := filepath.Join(s.data, "blotter.db")
	add := func() ran { return s.run(program(t), "keys", "add", "--tenant", "ward", "--role", "client") }
	if r := add(); r.exit != 0 {
		t.Fatalf("keys add ended with %d: %s", r.exit, r.err)
	}
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if r := add(); r.exit != 0 {
		t.Fatalf("keys add ended with %d: %s", r.exit, r.err)
	}
	write(t, path, backup) // older than what was signed
	if r := add(); r.exit != 1 || r.out != "" || !strings.Contains(r.err, "reason: audit.log_rolled_back") {
		t.Errorf("keys add ended with %d: %s%s", r.exit, r.out, r.err)
	}
}

// A job that is cancelled while a worker holds it ends at once; the worker writes nothing
// more, and its command says what became of the document.
func TestCancelWhileLeased(t *testing.T) {
	t.Parallel()
	s, file := newStation(t), page(t)
	r := s.start("redact", "--json", "--out", filepath.Join(t.TempDir(), "out"), file)
	j := s.awaitJob(isLeased)
	if c := s.run(program(t), "jobs", "cancel", string(j.ID)); c.exit != 0 {
		t.Fatalf("cancel ended with %d: %s%s", c.exit, c.out, c.err)
	}
	if code := r.exit(t); code != 3 || !strings.Contains(r.err.String(), "reason: job.cancelled") {
		t.Errorf("redact ended with %d: %s%s", code, r.out.String(), r.err.String())
	}
	if now := s.awaitJob(func(queue.Job) bool { return true }); now.State != "cancelled" || now.Token != j.Token {
		t.Errorf("the job is %s under token %d, was cancelled under %d", now.State, now.Token, j.Token)
	}
	db, v := s.open()
	if refs, err := v.List(t.Context(), ""); err != nil || len(refs) > 0 {
		t.Errorf("blobs are left: %v, %v", refs, err)
	}
	kinds := map[receipt.Kind]int{}
	for _, e := range s.events(db) {
		kinds[e.Kind]++
	}
	if kinds[receipt.Cancelled] != 1 || kinds[receipt.RedactedKind] != 0 || kinds[receipt.Staged] != kinds[receipt.Unstaged] {
		t.Errorf("the trail holds %v", kinds)
	}
	if _, got := s.redact(0, file); len(got) != 1 || got[0].Job == string(j.ID) || got[0].State != "released" {
		t.Errorf("given again, the document gave %+v", got)
	}
}

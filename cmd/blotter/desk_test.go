package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"blotter/internal/app"
	"blotter/internal/audit/sequencer"
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

// What a person does beside a running service, which holds the signing key, is signed by
// that service; the command ends once it is.
func TestDeskWaitsForTheSigner(t *testing.T) {
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

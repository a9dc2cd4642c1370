package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/postgres/pgtest"
)

// program builds the command under test.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blotter")
	cmd := exec.Command("go", "build", "-tags", "nodynamic", "-o", path, "./cmd/blotter")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// A minute of everything that goes wrong breaks no promise.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	dir, err := engine.Dir()
	if err == nil {
		_, err = engine.Open(dir)
	}
	if err != nil {
		enginetest.Missing(t, err)
	}
	var out bytes.Buffer
	o := options{
		binary: program(t), examples: filepath.Join("..", "..", "examples"), length: time.Minute, gap: 500 * time.Millisecond, seed: 5, out: &out,
	}
	c, err := chaos(t.Context(), o)
	if errors.Is(err, pgtest.ErrMissing) && os.Getenv(pgtest.Need) != "required" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	c.violations.print(&out)
	if c.violations.count() > 0 {
		t.Errorf("promises were broken:\n%s", out.String())
	}
	if n := c.faults.total(); n < 20 {
		t.Errorf("only %d faults were injected", n)
	}
	if c.checked.released == 0 || c.checked.jobs < 2*len(c.load.documents) {
		t.Errorf("of %d documents %d were released: too few to show anything", c.checked.jobs, c.checked.released)
	}
	t.Logf("%s\n%s", out.String(), c.text(o))
}

// What a run must not overlook: a violation that was added is printed and counted.
func TestViolationsAreTold(t *testing.T) {
	var v violations
	v.add("job %s ended twice", "j1")
	var out bytes.Buffer
	if n := v.print(&out); n != 1 || out.String() != "VIOLATION: job j1 ended twice\n" {
		t.Errorf("%d: %q", n, out.String())
	}
}

func TestAConnectionHeldAndCut(t *testing.T) {
	l, answers := echoLine(t)
	conn := dial(t, l)
	say := func(s string) {
		t.Helper()
		if _, err := conn.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	hear := func() (string, error) {
		buf := make([]byte, 16)
		n, err := conn.Read(buf)
		return string(buf[:n]), err
	}
	say("one")
	if got, err := hear(); got != "one" {
		t.Fatalf("%q, %v", got, err)
	}
	<-answers
	l.hold(false, true)
	say("two")
	<-answers // the server has answered
	if n := l.cut(); n != 1 {
		t.Errorf("%d connections were cut", n)
	}
	if got, err := hear(); err == nil {
		t.Errorf("what was held back came through: %q", got)
	}
	l.hold(false, false)
	conn = dial(t, l)
	say("three")
	if got, err := hear(); got != "three" {
		t.Errorf("a new connection: %q, %v", got, err)
	}
}

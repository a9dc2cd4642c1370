//go:build crashpoints

package sequencer_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"blotter/internal/audit/sequencer"
	"blotter/internal/sqlite"
	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// stationDir tells the test binary that it is the child, and where it lives.
const stationDir = "BLOTTER_TEST_STATION"

// TestStationChild is no test: it is the process that the crash test kills. It prints
// every checkpoint that is in the database.
func TestStationChild(t *testing.T) {
	dir := os.Getenv(stationDir)
	if dir == "" {
		t.Skip("only runs as a child of TestKilledAtEveryPoint")
	}
	s := &station{t: t, dir: dir}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		s.receive(2)
		s.publish()
		if round == 0 {
			if err := s.sequencer.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.publish()
		}
	}
	s.stop()
}

func (s *station) publish() {
	s.t.Helper()
	_, checkpoint, err := s.db.Head(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Printf("checkpoint %q\n", checkpoint)
}

// A real process is killed at each durable operation of a life with a rotation, and
// started again: the log is whole, and extends every checkpoint that was published.
func TestKilledAtEveryPoint(t *testing.T) {
	points := 0
	for n := 1; ; n++ {
		dir := t.TempDir()
		published, killed := runChild(t, dir, fmt.Sprintf("*:%d", n))
		more, again := runChild(t, dir, "")
		if again {
			t.Fatal("killed without being told to")
		}
		checkStation(t, dir, append(published, more...))
		if !killed {
			break
		}
		points++
	}
	if points < 40 {
		t.Errorf("only %d points were passed; the test has lost its object", points)
	}
	t.Logf("killed at %d points", points)
}

func runChild(t *testing.T, dir, crash string) (published [][]byte, killed bool) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestStationChild$")
	child.Env = append(os.Environ(), stationDir+"="+dir)
	if crash != "" {
		child.Env = append(child.Env, "BLOTTER_CRASH="+crash)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var rest []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var checkpoint string
		if _, err := fmt.Sscanf(lines.Text(), "checkpoint %q", &checkpoint); err == nil {
			published = append(published, []byte(checkpoint))
		} else {
			rest = append(rest, lines.Text())
		}
	}
	err = child.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return published, true
	}
	if err != nil {
		t.Fatalf("crash %q: %v\n%q", crash, err, rest)
	}
	return published, false
}

func checkStation(t *testing.T, dir string, published [][]byte) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	data, err := os.ReadFile(filepath.Join(dir, "audit", sequencer.TrustFile))
	if err != nil {
		t.Fatal(err)
	}
	trust, err := receipt.ParseTrustList(data)
	if err != nil {
		t.Fatal(err)
	}
	check(t, db, trust)
	size, head, err := db.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range published {
		c, err := receipt.ParseCheckpoint(old)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := tlog.ProveTree(size, c.Size, db)
		if err != nil {
			t.Fatal(err)
		}
		if err := receipt.VerifyConsistency(old, head, proof, trust); err != nil {
			t.Error(err)
		}
	}
}

//go:build crashpoints

package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"blotter/internal/storetest"
)

var ways = map[string]func() storetest.Way{"job": storetest.OneJob, "request": storetest.OneRequest}

// TestCrashChild is the process that the test below kills: one job's way, or one request's.
func TestCrashChild(t *testing.T) {
	path := os.Getenv("BLOTTER_TEST_DB")
	if path == "" {
		t.Skip("runs only as the child of the tests that kill it")
	}
	db := open(t, path, &clock{})
	defer db.Close()
	if err := ways[os.Getenv("BLOTTER_TEST_WAY")]().Run(t.Context(), db, func(int) {}); err != nil {
		t.Fatal(err)
	}
}

// A kill before a commit leaves what the one before left; a kill after it, what it wrote:
// job, events, working copies, reservation, data keys and API keys always agree. The first
// commit is the schema's.
func TestKilledAtEachCommit(t *testing.T) {
	for name, way := range ways {
		for commit := range len(way().Steps) + 1 {
			for phase, stands := range map[string]int{"before": max(0, commit-1), "after": commit} {
				t.Run(fmt.Sprintf("%s %d %s", name, commit+1, phase), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "blotter.db")
					kill(t, path, name, fmt.Sprintf("sqlite.commit:%d:%s", commit+1, phase))
					db := open(t, path, &clock{})
					defer db.Close()
					way().Check(t, db, stands)
				})
			}
		}
	}
}

func kill(t *testing.T, path, way, at string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	child.Env = append(os.Environ(), "BLOTTER_CRASH="+at, "BLOTTER_TEST_DB="+path, "BLOTTER_TEST_WAY="+way)
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
}

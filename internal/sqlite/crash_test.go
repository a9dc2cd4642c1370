//go:build crashpoints

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
	"blotter/receipt"
)

// TestCrashChild is the process that the tests here kill: one job's way, or one request's.
func TestCrashChild(t *testing.T) {
	path := os.Getenv("BLOTTER_TEST_DB")
	if path == "" {
		t.Skip("runs only as the child of the tests that kill it")
	}
	db := open(t, path, &clock{})
	defer db.Close()
	way := oneJob
	if os.Getenv("BLOTTER_TEST_WAY") == "service" {
		way = oneRequest
	}
	if err := way(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}

func oneJob(ctx context.Context, db *sqlite.DB) error {
	j := newJob()
	j.Key = "k"
	if _, _, err := db.Enqueue(ctx, j, receipt.Event{Kind: receipt.Received}); err != nil {
		return err
	}
	j, err := db.Claim(ctx, queue.Claim{Lease: time.Hour}, func(queue.Job) receipt.Event { return receipt.Event{Kind: receipt.Claimed} })
	if err != nil {
		return err
	}
	l := queue.Lease{Job: j.ID, Token: j.Token}
	return errors.Join(
		db.Stage(ctx, l, queue.WorkingCopy{ID: "copy", Expires: time.Now()}, receipt.Event{Kind: receipt.Staged}),
		db.Unstage(ctx, "copy", receipt.Event{Kind: receipt.Unstaged}),
		db.Finish(ctx, l, queue.Outcome{Target: document.Released, Event: receipt.Event{Kind: receipt.RedactedKind}}),
		storetest.Seal(ctx, db))
}

// The commits of oneJob, the schema's first, and what stands after each.
var commits = []struct {
	state  document.State
	events int // appended so far, sealed or not
	copies int
}{
	{"", 0, 0}, {document.Queued, 1, 0}, {document.Leased, 2, 0}, {document.Leased, 3, 1},
	{document.Leased, 4, 0}, {document.Sealing, 5, 0}, {document.Released, 5, 0},
}

// A kill before a commit leaves what the one before left; a kill after it, what it wrote:
// job, events and working copies always agree.
func TestKilledAtEachCommit(t *testing.T) {
	killAtEach(t, len(commits), checkAfterKill)
}

// killAtEach kills a child before and after each of n commits, and has what it left checked
// against the commit that then stands.
func killAtEach(t *testing.T, n int, check func(t *testing.T, db *sqlite.DB, stands int)) {
	t.Helper()
	for commit := range n {
		for _, phase := range []string{"before", "after"} {
			t.Run(fmt.Sprintf("%d %s", commit+1, phase), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "blotter.db")
				kill(t, path, fmt.Sprintf("sqlite.commit:%d:%s", commit+1, phase))
				db := open(t, path, &clock{})
				defer db.Close()
				stands := commit
				if phase == "before" {
					stands = max(0, commit-1)
				}
				check(t, db, stands)
			})
		}
	}
}

func kill(t *testing.T, path, at string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	child.Env = append(os.Environ(), "BLOTTER_CRASH="+at, "BLOTTER_TEST_DB="+path)
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
}

func checkAfterKill(t *testing.T, db *sqlite.DB, stands int) {
	t.Helper()
	want := commits[stands]
	pending, err := db.Pending(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	size, _, err := db.Head(t.Context())
	if err != nil || len(pending)+int(size) != want.events {
		t.Errorf("%d events wait and %d are sealed, %v; want %d in all", len(pending), size, err, want.events)
	}
	if copies, err := db.Staged(t.Context(), ""); err != nil || len(copies) != want.copies {
		t.Errorf("%d working copies, %v; want %d", len(copies), err, want.copies)
	}
	storetest.CheckTree(t, db, size)

	// The caller comes again with its key: the same job if it was taken in.
	j := newJob()
	j.Key = "k"
	got, added, err := db.Enqueue(t.Context(), j, receipt.Event{})
	if err != nil || added != (want.state == "") || (!added && got.State != want.state) {
		t.Errorf("the job is %q (new: %v), %v; want %q", got.State, added, err, want.state)
	}
}

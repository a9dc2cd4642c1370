package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// put is a statement that leaves a working copy of a name, once.
func put(name string, bytes int) string {
	return fmt.Sprintf("INSERT INTO working_copies (id, job, created, expires) VALUES ('%s', hex(zeroblob(%d)), 1, 1)", name, bytes)
}

func copies(t *testing.T, db *sqlite.DB) (names []string) {
	t.Helper()
	list, err := db.Staged(t.Context(), "local")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		names = append(names, c.ID)
	}
	return names
}

// A write that fails takes nothing with it and leaves nothing behind, not even what it had
// done before it failed.
func TestWritesMadeTogetherFailAlone(t *testing.T) {
	db, _, _ := openNew(t)
	errs := sqlite.Together(db, put("a", 1), put("b", 1)+"; "+put("a", 1), put("c", 1), "nonsense", put("d", 1))
	for i, fails := range []bool{false, true, false, true, false} {
		if (errs[i] != nil) != fails {
			t.Errorf("write %d: %v", i, errs[i])
		}
	}
	if got := copies(t, db); !slices.Equal(got, []string{"a", "c", "d"}) {
		t.Errorf("there are %v", got)
	}
	for _, err := range sqlite.Together(db, "nonsense", put("a", 1)) {
		if err == nil {
			t.Error("it went through")
		}
	}
	if got := sqlite.Together(db, put("e", 1)); got[0] != nil {
		t.Errorf("after a transaction of failures: %v", got)
	}
}

// Whatever a full disk does to a transaction, each write is told the truth.
func TestFullDiskTellsEachWriteTheTruth(t *testing.T) {
	db, _, _ := openNew(t)
	if _, err := sqlite.Writer(db).Exec("PRAGMA max_page_count = 120"); err != nil {
		t.Fatal(err)
	}
	errs := sqlite.Together(db, put("a", 1), put("b", 10<<20), put("c", 1))
	if errs[1] == nil {
		t.Error("more than the disk can take was written")
	}
	got := copies(t, db)
	for i, name := range []string{"a", "b", "c"} {
		if slices.Contains(got, name) != (errs[i] == nil) {
			t.Errorf("write %s says %v, and there are %v", name, errs[i], got)
		}
	}
	if err := db.Tell(t.Context(), receipt.Event{Kind: receipt.Viewed}); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// noticed is a context that says when somebody begins to wait for its end.
type noticed struct {
	context.Context
	once    sync.Once
	waiting chan struct{}
}

func (n *noticed) Done() <-chan struct{} {
	n.once.Do(func() { close(n.waiting) })
	return n.Context.Done()
}

// Who gives up while waiting is let go at once, and the write is not made.
func TestWaitingWriteIsTakenBack(t *testing.T) {
	db, _, _ := openNew(t)
	release := sqlite.Hold(db)
	ctx, cancel := context.WithCancel(t.Context())
	n := &noticed{Context: ctx, waiting: make(chan struct{})}
	gone := make(chan error)
	go func() { gone <- db.Tell(n, receipt.Event{Kind: receipt.Viewed}) }()
	<-n.waiting
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	release()
	if err := db.Tell(t.Context(), receipt.Event{Kind: receipt.Staged}); err != nil {
		t.Fatal(err)
	}
	if pending, err := db.Pending(t.Context(), 10); err != nil || len(pending) != 1 || pending[0].Event.Kind != receipt.Staged {
		t.Errorf("the outbox holds %+v, %v", pending, err)
	}
}

// Those who waited while another wrote are all served, each once, in the end.
func TestWaitingWritesAreAllMade(t *testing.T) {
	db, _, _ := openNew(t)
	release := sqlite.Hold(db)
	const writers = 200 // more than one transaction takes
	var wg sync.WaitGroup
	for range writers {
		n := &noticed{Context: t.Context(), waiting: make(chan struct{})}
		wg.Go(func() {
			if err := db.Tell(n, receipt.Event{Kind: receipt.Viewed}); err != nil {
				t.Error(err)
			}
		})
		<-n.waiting
	}
	release()
	wg.Wait()
	if pending, err := db.Pending(t.Context(), 1000); err != nil || len(pending) != writers {
		t.Errorf("the outbox holds %d events, %v", len(pending), err)
	}
}

// A panic is its caller's alone, and stops nobody.
func TestPanicStaysWithItsCaller(t *testing.T) {
	db, _, _ := openNew(t)
	id := enqueue(t, db)
	func() {
		defer func() {
			if got := recover(); got != "oops" {
				t.Errorf("recovered %v", got)
			}
		}()
		db.Claim(t.Context(), queue.Claim{Lease: time.Minute}, func(queue.Job) receipt.Event { panic("oops") })
	}()
	c := queue.Claim{Only: []document.ID{id}, Lease: time.Minute}
	if _, err := db.Claim(t.Context(), c, func(queue.Job) receipt.Event { return receipt.Event{} }); err != nil {
		t.Error(err)
	}
}

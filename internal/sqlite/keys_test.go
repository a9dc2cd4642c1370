package sqlite_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

func TestPutKeyKeepsTheFirst(t *testing.T) {
	db, _, _ := openNew(t)
	job := document.NewID()
	if _, err := db.Key(t.Context(), job, vault.Original); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("a key that was never made: %v", err)
	}
	for _, wrapped := range []string{"first", "second"} {
		got, err := db.PutKey(t.Context(), job, vault.Original, []byte(wrapped))
		if err != nil || string(got) != "first" {
			t.Errorf("put %s: %s, %v", wrapped, got, err)
		}
	}
	got, err := db.PutKey(t.Context(), job, vault.Derivative, []byte("another class"))
	if err != nil || string(got) != "another class" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestDestroyedKeyIsGoneFromEveryFile(t *testing.T) {
	db, path, _ := openNew(t)
	job, wrapped := document.NewID(), make([]byte, 200)
	rand.Read(wrapped)
	if _, err := db.PutKey(t.Context(), job, vault.Original, wrapped); err != nil {
		t.Fatal(err)
	}
	if !onDisk(t, path, wrapped) {
		t.Fatal("the key is on no file even before; the search is blind")
	}
	deleted := receipt.Event{Kind: receipt.Deleted}
	if err := db.DestroyKey(t.Context(), job, vault.Original, deleted); err != nil {
		t.Fatal(err)
	}
	if onDisk(t, path, wrapped) {
		t.Error("the destroyed key can be read from a file")
	}
	pending, err := db.Pending(t.Context(), 10)
	if err != nil || len(pending) != 1 || pending[0].Event.Kind != receipt.Deleted {
		t.Errorf("the outbox holds %+v, %v", pending, err)
	}

	// It stays destroyed, and its destruction is told once.
	if err := db.DestroyKey(t.Context(), job, vault.Original, deleted); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("destroyed twice: %v", err)
	}
	if _, err := db.PutKey(t.Context(), job, vault.Original, wrapped); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("made anew: %v", err)
	}
	if pending, err := db.Pending(t.Context(), 10); err != nil || len(pending) != 1 {
		t.Errorf("the outbox holds %d events, %v", len(pending), err)
	}
}

// onDisk looks for the middle of a secret in the database and its companions.
func onDisk(t *testing.T, path string, secret []byte) bool {
	t.Helper()
	found := false
	for _, suffix := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(b, secret[50:100])
	}
	return found
}

func TestExpiredKeys(t *testing.T) {
	db, _, c := openNew(t)
	kept, due := enqueue(t, db), enqueue(t, db)
	putKey(t, db, kept, vault.Original)
	putKey(t, db, due, vault.Original)
	putKey(t, db, document.NewID(), vault.Task) // its job may still be on its way
	end(t, db, due, document.Released, keep(vault.Original, time.Hour))
	if err := db.Deliver(t.Context(), due); err != nil {
		t.Fatal(err)
	}
	expired(t, db)
	c.advance(59 * time.Minute)
	expired(t, db)
	orphan := document.NewID()
	putKey(t, db, orphan, vault.Derivative)
	c.advance(2 * time.Minute)
	if got := expiredJobs(t, db); len(got) != 2 || !slices.Contains(got, due) || slices.Contains(got, orphan) {
		t.Errorf("expired: %v; want that of %s and the first orphan", got, due)
	}
	c.advance(2 * time.Hour)
	if got := expiredJobs(t, db); len(got) != 3 || slices.Contains(got, kept) {
		t.Errorf("expired: %v", got)
	}
	now, err := db.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := db.ExpiredKeys(t.Context(), now, 2); len(got) != 2 || err != nil {
		t.Errorf("at most two: %v, %v", got, err)
	}
}

// A result that nobody has fetched yet outlasts its expiry, but not for ever.
func TestUndeliveredResultIsSpared(t *testing.T) {
	for _, target := range []document.State{document.Released, document.AwaitingReview} {
		db, _, c := openNew(t)
		id := enqueue(t, db)
		putKey(t, db, id, vault.Derivative)
		putKey(t, db, id, vault.Original)
		end(t, db, id, target, map[string]time.Duration{"derivative": time.Hour, "original": 0})
		expired(t, db) // while it is being sealed
		if err := sealAll(db); err != nil {
			t.Fatal(err)
		}
		c.advance(30*24*time.Hour - time.Minute)
		expired(t, db)
		c.advance(time.Minute)
		expired(t, db, vault.Original)
		c.advance(time.Hour)
		expired(t, db, vault.Derivative, vault.Original)
	}
}

// A delivery counts what is kept anew, once; a second one prolongs nothing.
func TestDeliveryDatesAnew(t *testing.T) {
	db, _, c := openNew(t)
	id := enqueue(t, db)
	putKey(t, db, id, vault.Derivative)
	putKey(t, db, id, vault.Original)
	end(t, db, id, document.Released, map[string]time.Duration{"derivative": time.Hour, "original": 30 * time.Minute})
	if err := sealAll(db); err != nil {
		t.Fatal(err)
	}
	c.advance(7 * 24 * time.Hour)
	deliver := func() {
		if err := db.Deliver(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	deliver()
	c.advance(29 * time.Minute)
	expired(t, db)
	deliver()
	c.advance(2 * time.Minute)
	expired(t, db, vault.Original)
	c.advance(30 * time.Minute)
	expired(t, db, vault.Derivative, vault.Original)
}

// An order that nobody comes for is destroyed, key and ciphertext: of a job that still
// waits, and of a dead one. What an earlier attempt left is then of no use either.
func TestOrdersDoNotWaitForEver(t *testing.T) {
	for _, dead := range []bool{false, true} {
		db, _, c := openNew(t)
		j := newJob()
		j.Sealed = []byte("sealed order")
		putKey(t, db, j.ID, vault.Task)
		putKey(t, db, j.ID, vault.Derivative)
		c.advance(time.Minute)
		if _, _, err := db.Enqueue(t.Context(), j, receipt.Event{}); err != nil {
			t.Fatal(err)
		}
		if dead {
			end(t, db, j.ID, document.Dead, nil)
			if err := sealAll(db); err != nil {
				t.Fatal(err)
			}
		}
		c.advance(30*24*time.Hour - 2*time.Minute)
		expired(t, db)
		c.advance(time.Minute)
		expired(t, db, vault.Task)
		if got, err := db.Job(t.Context(), j.ID); err != nil || string(got.Sealed) != "sealed order" {
			t.Errorf("the order is %q, %v", got.Sealed, err)
		}
		if err := db.DestroyKey(t.Context(), j.ID, vault.Task, receipt.Event{Kind: receipt.Deleted}); err != nil {
			t.Fatal(err)
		}
		if got, err := db.Job(t.Context(), j.ID); err != nil || got.Sealed != nil {
			t.Errorf("without its key, the order is still %q, %v", got.Sealed, err)
		}
		expired(t, db, vault.Derivative)
	}
}

// Only who holds the lease dates keys: a stale worker would cut the life of what the
// job's holder makes.
func TestStaleWorkerDatesNoKey(t *testing.T) {
	db, _, c := openNew(t)
	id := enqueue(t, db)
	putKey(t, db, id, vault.Derivative)
	stale := lend(t, db, id)
	c.advance(time.Hour)
	if _, err := db.Expire(t.Context(), func(queue.Job) receipt.Event { return receipt.Event{} }); err != nil {
		t.Fatal(err)
	}
	lend(t, db, id)
	o := queue.Outcome{Target: document.Released, Keep: keep(vault.Derivative, 0)}
	if err := db.Finish(t.Context(), stale, o); !errors.Is(err, queue.ErrLeaseLost) {
		t.Errorf("a stale worker ended the job: %v", err)
	}
	c.advance(365 * 24 * time.Hour)
	expired(t, db)
}

func keep(c vault.Class, d time.Duration) map[string]time.Duration {
	return map[string]time.Duration{string(c): d}
}

// lend claims a job for an hour.
func lend(t *testing.T, db *sqlite.DB, id document.ID) queue.Lease {
	t.Helper()
	c := queue.Claim{Only: []document.ID{id}, Lease: time.Hour}
	j, err := db.Claim(t.Context(), c, func(queue.Job) receipt.Event { return receipt.Event{} })
	if err != nil {
		t.Fatal(err)
	}
	return queue.Lease{Job: id, Token: j.Token}
}

// end claims a job and finishes it.
func end(t *testing.T, db *sqlite.DB, id document.ID, target document.State, keep map[string]time.Duration) {
	t.Helper()
	l := lend(t, db, id)
	if err := db.Finish(t.Context(), l, queue.Outcome{Target: target, Keep: keep}); err != nil {
		t.Fatal(err)
	}
}

// A process that died between a job's end and the destruction of its keys leaves them to
// the retention: all of a rejected job, the task of a released one, none of a dead one.
func TestExpiredKeysOfEndedJobs(t *testing.T) {
	for state, want := range map[document.State][]vault.Class{
		document.Rejected: {vault.Derivative, vault.Task}, document.Released: {vault.Task}, document.Dead: nil,
	} {
		t.Run(string(state), func(t *testing.T) {
			db, _, _ := openNew(t)
			id := enqueue(t, db)
			putKey(t, db, id, vault.Task)
			putKey(t, db, id, vault.Derivative)
			expired(t, db)
			end(t, db, id, state, nil)
			expired(t, db) // not before its end is on record
			if err := sealAll(db); err != nil {
				t.Fatal(err)
			}
			expired(t, db, want...)
		})
	}
}

func putKey(t *testing.T, db *sqlite.DB, job document.ID, c vault.Class) {
	t.Helper()
	if _, err := db.PutKey(t.Context(), job, c, []byte("k")); err != nil {
		t.Fatal(err)
	}
}

// expired checks the classes of the keys that are to be destroyed now.
func expired(t *testing.T, db *sqlite.DB, want ...vault.Class) {
	t.Helper()
	var got []vault.Class
	for _, k := range expiredNow(t, db) {
		got = append(got, k.Class)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("expired: %v, want %v", got, want)
	}
}

func expiredJobs(t *testing.T, db *sqlite.DB) (ids []document.ID) {
	t.Helper()
	for _, k := range expiredNow(t, db) {
		ids = append(ids, k.Job)
	}
	return ids
}

func expiredNow(t *testing.T, db *sqlite.DB) []vault.KeyName {
	t.Helper()
	now, err := db.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := db.ExpiredKeys(t.Context(), now, 10)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

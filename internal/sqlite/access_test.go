package sqlite_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

func accessKey(id string) access.Key {
	return access.Key{
		ID: id, Tenant: "clinic", Role: access.Client, Hash: document.Sum([]byte(id)),
		Lanes: []document.Lane{document.Bulk, document.Interactive},
	}
}

func TestAccessKeys(t *testing.T) {
	db, _, c := openNew(t)
	granted, revoked := receipt.Event{Kind: receipt.AccessGranted}, receipt.Event{Kind: receipt.AccessRevoked}
	first, second := accessKey("k2"), accessKey("k1")
	second.Tenant, second.Role, second.Lanes = access.Everyone, access.Operator, nil
	for _, k := range []access.Key{first, second} {
		if added, err := db.AddAccess(t.Context(), k, false, granted); !added || err != nil {
			t.Fatalf("added %v, %v", added, err)
		}
		c.advance(time.Minute)
	}
	if added, err := db.AddAccess(t.Context(), first, false, granted); added || err == nil {
		t.Errorf("one id was added twice: %v, %v", added, err)
	}
	for range 2 { // the second time it is so already
		if err := db.RevokeAccess(t.Context(), first.ID, revoked); err != nil {
			t.Fatal(err)
		}
		c.advance(time.Minute)
	}
	all, err := db.Accesses(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%d keys, %v", len(all), err)
	}
	for i, want := range []access.Key{first, second} {
		got, err := db.Access(t.Context(), want.ID)
		want.Created, want.Revoked = all[i].Created, all[i].Revoked
		if d := cmp.Diff(want, got); d != "" || err != nil || want.Created.IsZero() || cmp.Diff(got, all[i]) != "" {
			t.Errorf("%v, %s", err, d)
		}
	}
	if life := all[0].Revoked.Sub(all[0].Created); life < 2*time.Minute || life > 3*time.Minute || !all[1].Revoked.IsZero() {
		t.Errorf("the keys were revoked at %v and %v", all[0].Revoked, all[1].Revoked)
	}
	if _, err := db.Access(t.Context(), "k3"); reason.Of(err) != reason.AccessUnknown {
		t.Errorf("an unknown key: %v", err)
	}
	if err := db.RevokeAccess(t.Context(), "k3", revoked); reason.Of(err) != reason.AccessUnknown {
		t.Errorf("an unknown key was revoked: %v", err)
	}
	if pending, err := db.Pending(t.Context(), 10); len(pending) != 3 || err != nil {
		t.Errorf("told %+v, %v", pending, err)
	}
}

// Of processes that start together on an empty store one makes the first key; a store that
// ever had a key gets none, not even where it was revoked.
func TestFirstAccessKey(t *testing.T) {
	path := t.TempDir() + "/blotter.db"
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			db := open(t, path, &clock{})
			added, err := db.AddAccess(t.Context(), accessKey(string(rune('a'+i))), true, receipt.Event{Kind: receipt.AccessGranted})
			if added {
				made.Add(1)
			}
			if err := errors.Join(err, db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	db := open(t, path, &clock{})
	defer db.Close()
	all, err := db.Accesses(t.Context())
	if made.Load() != 1 || len(all) != 1 || err != nil {
		t.Fatalf("%d were made, %d are there, %v", made.Load(), len(all), err)
	}
	if err := db.RevokeAccess(t.Context(), all[0].ID, receipt.Event{}); err != nil {
		t.Fatal(err)
	}
	if added, err := db.AddAccess(t.Context(), accessKey("late"), true, receipt.Event{}); added || err != nil {
		t.Errorf("after its revocation another was made: %v, %v", added, err)
	}
}

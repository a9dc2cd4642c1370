package storetest

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// AccessKey is a client's key.
func AccessKey(id string) access.Key {
	return access.Key{
		ID: id, Tenant: "clinic", Role: access.Client, Hash: document.Sum([]byte(id)),
		Lanes: []document.Lane{document.Bulk, document.Interactive},
	}
}

func accessKeysAreKept(s *suite) {
	granted, revoked := receipt.Event{Kind: receipt.AccessGranted}, receipt.Event{Kind: receipt.AccessRevoked}
	first, second := AccessKey("k2"), AccessKey("k1")
	second.Tenant, second.Role, second.Lanes = access.Everyone, access.Operator, nil
	for _, k := range []access.Key{first, second} {
		if added, err := s.Store.AddAccess(s.ctx, k, false, granted); !added || err != nil {
			s.Fatalf("added %v, %v", added, err)
		}
		s.Advance(time.Minute)
	}
	if added, err := s.Store.AddAccess(s.ctx, first, false, granted); added || err == nil {
		s.Errorf("one id was added twice: %v, %v", added, err)
	}
	for range 2 { // the second time it is so already
		s.must(s.Store.RevokeAccess(s.ctx, first.ID, revoked))
		s.Advance(time.Minute)
	}
	all, err := s.Other.Accesses(s.ctx)
	if err != nil || len(all) != 2 {
		s.Fatalf("%d keys, %v", len(all), err)
	}
	for i, want := range []access.Key{first, second} {
		got, err := s.Other.Access(s.ctx, want.ID)
		want.Created, want.Revoked = all[i].Created, all[i].Revoked
		if d := cmp.Diff(want, got); d != "" || err != nil || want.Created.IsZero() || cmp.Diff(got, all[i]) != "" {
			s.Errorf("%v, %s", err, d)
		}
	}
	if life := all[0].Revoked.Sub(all[0].Created); life < 2*time.Minute || life > 3*time.Minute || !all[1].Revoked.IsZero() {
		s.Errorf("the keys were revoked at %v and %v", all[0].Revoked, all[1].Revoked)
	}
	if _, err := s.Store.Access(s.ctx, "k3"); reason.Of(err) != reason.AccessUnknown {
		s.Errorf("an unknown key: %v", err)
	}
	if err := s.Store.RevokeAccess(s.ctx, "k3", revoked); reason.Of(err) != reason.AccessUnknown {
		s.Errorf("an unknown key was revoked: %v", err)
	}
	s.told(receipt.AccessGranted, receipt.AccessGranted, receipt.AccessRevoked)
}

// Of processes that start together on an empty store one makes the first key; a store that
// ever had a key gets none, not even where it was revoked.
func firstAccessKeyIsOne(s *suite) {
	var made atomic.Int32
	var calls []func() error
	for i := range 8 {
		store := []Store{s.Store, s.Other}[i%2]
		calls = append(calls, func() error {
			added, err := store.AddAccess(s.ctx, AccessKey(string(rune('a'+i))), true, receipt.Event{Kind: receipt.AccessGranted})
			if added {
				made.Add(1)
			}
			return err
		})
	}
	s.must(errors.Join(together(calls...)...))
	all, err := s.Other.Accesses(s.ctx)
	if made.Load() != 1 || len(all) != 1 || err != nil {
		s.Fatalf("%d were made, %d are there, %v", made.Load(), len(all), err)
	}
	s.must(s.Store.RevokeAccess(s.ctx, all[0].ID, receipt.Event{Kind: receipt.AccessRevoked}))
	if added, err := s.Store.AddAccess(s.ctx, AccessKey("late"), true, receipt.Event{}); added || err != nil {
		s.Errorf("after its revocation another was made: %v, %v", added, err)
	}
	s.told(receipt.AccessGranted, receipt.AccessRevoked)
}

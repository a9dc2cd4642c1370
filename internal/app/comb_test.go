package app

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/retention"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
)

// forgetful is a store that fails when it is asked for a job.
type forgetful struct {
	ballot
	fails bool
}

func (f *forgetful) Job(ctx context.Context, id document.ID) (queue.Job, error) {
	if f.fails {
		return queue.Job{}, reason.Because(reason.QueueBusy, nil)
	}
	return f.Store.Job(ctx, id)
}

// A look through the bucket that failed is not counted: the next sweep looks again, not the
// one in an hour.
func TestACombThatFailedIsRepeated(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	v, err := vault.Open(ctx, filepath.Join(dir, "vault"), filepath.Join(dir, "station.key"), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	w, err := v.Put(ctx, vault.Ref{Job: document.NewID(), Class: vault.Derivative, Token: 1, Index: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	store := &forgetful{ballot: ballot{Store: db}, fails: true}
	s := &Service{Station: elector(&store.ballot, "one")}
	s.store, s.vault = store, v
	s.cfg.Database, s.cfg.Vault, s.cfg.Serve.Roles = "postgres://", "s3://bucket/prefix", []config.Role{config.RoleRetention}
	s.worker, s.removed.Store = s.newWorker(nil), store
	s.retention = &retention.Retention{Store: store, Vault: v, Log: s.log}
	if err := s.tidyUp(ctx); err != nil {
		t.Fatalf("a start waits for the comb: %v", err)
	}
	if err := s.combWhereDue(ctx); reason.Of(err) != reason.QueueBusy {
		t.Fatalf("the comb did not fail: %v", err)
	}
	store.fails = false
	store.leader, store.until = "other", time.Now().Add(time.Hour)
	if err := s.combWhereDue(ctx); err != nil {
		t.Fatal(err)
	}
	if left, err := v.List(ctx, ""); err != nil || len(left) != 1 {
		t.Errorf("who is not the janitor combed: %v, %v", left, err)
	}
	store.until = time.Time{}
	if err := s.combWhereDue(ctx); err != nil {
		t.Fatal(err)
	}
	if left, err := v.List(ctx, ""); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

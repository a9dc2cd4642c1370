package intake_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"

	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/retention"
	"blotter/internal/source"
	"blotter/internal/vault"
	"blotter/receipt"
)

// uploads keep documents in the real vault.
type uploads struct {
	*vault.Vault
	drops *retention.Retention
}

func (o *office) openVault(dir string) uploads {
	o.Helper()
	v, err := vault.Open(o.Context(), filepath.Join(dir, "vault"), filepath.Join(dir, "station.key"), o.db)
	o.must(err)
	o.Cleanup(func() { v.Close() })
	return uploads{v, &retention.Retention{Store: o.db, Vault: v, Log: slog.New(slog.DiscardHandler)}}
}

func (u uploads) Upload(ctx context.Context, job document.ID) (intake.Upload, error) {
	return u.Vault.Upload(ctx, job)
}

func (u uploads) DropUpload(ctx context.Context, job document.ID) error {
	return u.drops.DropUpload(ctx, job)
}

// orders let references point into one directory; what is in an order nobody reads.
type orders struct{ stores *source.Stores }

func (o *office) openSource() orders {
	o.Helper()
	o.source = o.TempDir()
	stores, err := source.Open(source.Config{Prefixes: []string{string(north) + "=file://" + o.source + "/"}})
	o.must(err)
	return orders{stores}
}

func (orders) Uploaded(o intake.Options) ([]byte, error) { return json.Marshal(o) }

func (s orders) Referenced(t document.Tenant, url string, o intake.Options) ([]byte, error) {
	if _, err := s.stores.Parse(t, url); err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

func (orders) Received(j queue.Job, actor string) receipt.Event {
	e := eventOf(receipt.Received, j, document.Queued, "")
	e.Actor = actor
	return e
}

// policies are the node's own and none besides.
type policies struct{}

func (policies) Policy(name string) (policy.Policy, bool) {
	p := policy.Default()
	return p, name == "" || name == p.Name
}

// pool is the synchronous path: it takes a job through its life at once.
type pool struct {
	*office
	slots chan struct{}
}

func (p pool) Slot() (func(), error) {
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	default:
		return nil, reason.Because(reason.APIBusy, nil)
	}
}

func (p pool) Run(ctx context.Context, id document.ID) (queue.Job, error) {
	p.finish(p.claim(id), document.Released, "")
	p.seal()
	return p.db.Job(ctx, id)
}

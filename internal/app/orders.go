package app

import (
	"context"

	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/queue"
	"blotter/internal/retention"
	"blotter/internal/source"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/receipt"
)

// orders makes what the API's jobs are sealed with.
type orders struct {
	sources *source.Stores
	code    receipt.Code
}

// Uploaded implements intake.Orders.
func (o orders) Uploaded(opt intake.Options) ([]byte, error) {
	return worker.Order{Upload: true, Originals: opt.Originals, Subject: opt.Hints, Small: opt.Small}.Plain()
}

// Referenced implements intake.Orders.
func (o orders) Referenced(tenant document.Tenant, url string, opt intake.Options) ([]byte, error) {
	ref, err := o.sources.Parse(tenant, url)
	if err != nil {
		return nil, err
	}
	return worker.Order{Source: ref, Originals: opt.Originals, Subject: opt.Hints, Small: opt.Small}.Plain()
}

// Received implements intake.Orders.
func (o orders) Received(j queue.Job, actor string) receipt.Event {
	return worker.Received(j, actor, o.code)
}

// uploads puts clients' documents into the vault.
type uploads struct {
	*vault.Vault
	retention *retention.Retention
}

// Upload implements intake.Uploads.
func (u uploads) Upload(ctx context.Context, job document.ID) (intake.Upload, error) {
	return u.Vault.Upload(ctx, job)
}

// DropUpload implements intake.Uploads.
func (u uploads) DropUpload(ctx context.Context, job document.ID) error {
	return u.retention.DropUpload(ctx, job)
}

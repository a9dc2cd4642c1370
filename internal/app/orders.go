package app

import (
	"context"
	"fmt"
	"io"
	"os"

	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
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

// policies are those of this node, by name.
type policies struct {
	own    policy.Policy
	byName map[string]policy.Policy
}

// readPolicies reads the files that the configuration names. The error has the code
// policy.invalid and names the file.
func readPolicies(cfg config.Config) (policies, error) {
	p := policies{own: policy.Default(), byName: map[string]policy.Policy{}}
	p.byName[p.own.Name] = p.own
	for i, path := range cfg.Serve.Policies {
		read, err := readPolicy(path)
		if err != nil {
			return p, err
		}
		if i == 0 {
			p.own = read
		}
		if other, taken := p.byName[read.Name]; taken && other.Digest() != read.Digest() && read.Name != policy.Default().Name {
			return p, reason.Because(reason.PolicyInvalid, fmt.Errorf("%s: another file has the name %q too", path, read.Name))
		}
		p.byName[read.Name] = read
	}
	return p, nil
}

// readPolicy reads a policy file, of 1 MiB at most.
func readPolicy(path string) (policy.Policy, error) {
	f, err := os.Open(path)
	if err != nil {
		return policy.Policy{}, reason.Because(reason.ConfigInvalid, fmt.Errorf("serve.policies: %w", err))
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxPolicyBytes+1))
	if err != nil || len(body) > maxPolicyBytes {
		return policy.Policy{}, reason.Because(reason.ConfigInvalid, fmt.Errorf("serve.policies: %s cannot be read, or is over %d bytes", path, maxPolicyBytes))
	}
	read, err := policy.Parse(body)
	if err != nil {
		return policy.Policy{}, reason.Because(reason.PolicyInvalid, fmt.Errorf("%s:\n%w", path, err))
	}
	return read, nil
}

// maxPolicyBytes is far above any honest policy.
const maxPolicyBytes = 1 << 20

// Policy implements intake.Policies.
func (p policies) Policy(name string) (policy.Policy, bool) {
	if name == "" {
		return p.own, true
	}
	found, ok := p.byName[name]
	return found, ok
}

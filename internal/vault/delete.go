package vault

import (
	"context"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// List returns the finished blobs of a job, in the order of their names; of all jobs
// where job is empty.
func (v *Vault) List(ctx context.Context, job document.ID) ([]Ref, error) {
	prefix, err := jobPrefix(job)
	if err != nil {
		return nil, err
	}
	var out []Ref
	err = v.walk(ctx, prefix, func(key string) error {
		if r, partial, ok := parseKey(key); ok && !partial {
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// Sweep deletes every blob, finished or not, for which keep returns false, and returns
// the references of what it deleted. Whoever calls it knows the jobs: keep must return
// true for a token that may still write or whose result counts. What no Ref can name
// stays, because it is not the vault's.
func (v *Vault) Sweep(ctx context.Context, keep func(Ref) bool) ([]Ref, error) {
	var gone []Ref
	err := v.walk(ctx, "", func(key string) error {
		r, _, ok := parseKey(key)
		if !ok || keep(r) {
			return nil
		}
		if err := v.remove(ctx, key); err != nil {
			return err
		}
		gone = append(gone, r)
		return nil
	})
	return gone, err
}

// Destroy destroys the data of a job's class: destroyKey is the transaction of whoever
// keeps the keys, and what the key opened is deleted after it. It reports whether there
// was a key; that there was none (vault.key_destroyed) is no error, so that what a killed
// process left half done is done again. When it returns nil the names are gone from the
// disk or the bucket.
func (v *Vault) Destroy(ctx context.Context, k KeyName, destroyKey func() error) (bool, error) {
	if _, err := document.ParseID(string(k.Job)); err != nil {
		return false, err
	}
	err := destroyKey()
	destroyed := err == nil
	if reason.Of(err) != reason.VaultKeyGone && err != nil {
		return false, err
	}
	return destroyed, v.deleteClass(ctx, k)
}

// deleteClass deletes every blob of a job's class, finished or not. A class that only
// ever seals messages has none.
func (v *Vault) deleteClass(ctx context.Context, k KeyName) error {
	if !k.Class.holdsBlobs() {
		return nil
	}
	prefix := string(k.Job) + "/" + string(k.Class) + "/"
	if err := v.walk(ctx, prefix, func(key string) error { return v.remove(ctx, key) }); err != nil {
		return err
	}
	if err := v.place.forget(string(k.Job), string(k.Class)); err != nil {
		return unavailable("remove a job's directory", err)
	}
	return nil
}

// DeleteSuperseded deletes every blob of a job, finished or not, that was written under
// another token than the one whose result counts. The document that the client sent was
// written under none and stays.
func (v *Vault) DeleteSuperseded(ctx context.Context, job document.ID, token int64) error {
	if _, err := document.ParseID(string(job)); err != nil {
		return err
	}
	return v.walk(ctx, string(job)+"/", func(key string) error {
		if r, _, ok := parseKey(key); !ok || r.Token == token || r.Class == Upload {
			return nil
		}
		return v.remove(ctx, key)
	})
}

func jobPrefix(job document.ID) (string, error) {
	if job == "" {
		return "", nil
	}
	_, err := document.ParseID(string(job))
	return string(job) + "/", err
}

// walk visits what there is under a prefix, finished blobs and others.
func (v *Vault) walk(ctx context.Context, prefix string, visit func(key string) error) error {
	var refused error
	err := v.place.walk(ctx, prefix, func(key string) error {
		refused = visit(key)
		return refused
	})
	if refused != nil || err == nil {
		return refused
	}
	return unavailable("list blobs", err)
}

func (v *Vault) remove(ctx context.Context, key string) error {
	if err := v.place.remove(ctx, key); err != nil {
		return unavailable("delete a blob", err)
	}
	return nil
}

package vault

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"blotter/internal/document"
	"blotter/internal/durable"
	"blotter/internal/reason"
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
	"golang.org/x/sys/unix"
)

// domain separates the vault's ciphertexts from all others under the same keys.
const domain = "blotter.vault/1\n"

// stationKey reads the key that wraps data keys, or makes it where there is none. It
// refuses to make one beside blobs that an earlier key protects.
func stationKey(ctx context.Context, path string, p place) (tink.AEAD, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = newStationKey(ctx, path, p)
	}
	if err != nil {
		return nil, unavailable("read the station key", err)
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, unavailable("read the station key", err)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return nil, unavailable("read the station key", errors.New("others may read it: its mode must be 0600"))
	}
	h, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(data)))
	if err != nil {
		return nil, damaged("read the station key", errors.New("it is no key")) // the parser's words could quote it
	}
	a, err := aead.New(h)
	if err != nil {
		return nil, damaged("use the station key", err)
	}
	return a, nil
}

// newStationKey makes the key and returns what stands at path. Processes that start
// together take turns, so that they agree on one key.
func newStationKey(ctx context.Context, path string, p place) (data []byte, err error) {
	if err := durable.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err = os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err // another process was faster
	}
	empty, err := p.empty(ctx)
	if err != nil {
		return nil, err
	}
	if !empty {
		return nil, errors.New("there are blobs already whose key is missing")
	}
	h, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(h, keyset.NewJSONWriter(&out)); err != nil {
		return nil, err
	}
	return out.Bytes(), install(path, out.Bytes())
}

// install writes the file at path in one step. Unlike durable.WriteFile it prepares it
// under a name that is always the same, which the lock makes safe: what a kill leaves
// there is key material, and the next start writes over it and moves it away.
func install(path string, data []byte) error {
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = durable.Sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, durable.Remove(next))
	}
	return durable.Rename(next, path)
}

// lockFile waits until this process alone holds the lock on a file, which it makes
// where missing and leaves behind, empty: to remove it would let two in.
func lockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// dataKey returns the key of a job and class. It never makes one.
func (v *Vault) dataKey(ctx context.Context, job document.ID, c Class) (*keyset.Handle, error) {
	wrapped, err := v.keys.Key(ctx, job, c)
	if err != nil {
		return nil, unavailable("find a data key", err)
	}
	return v.unwrap(job, c, wrapped)
}

// ensureKey returns the key of a job and class, and makes it the first time.
func (v *Vault) ensureKey(ctx context.Context, job document.ID, c Class) (*keyset.Handle, error) {
	wrapped, err := v.keys.Key(ctx, job, c)
	if reason.Of(err) == reason.VaultKeyGone {
		wrapped, err = v.newKey(ctx, job, c)
	}
	if err != nil {
		return nil, unavailable("find a data key", err)
	}
	return v.unwrap(job, c, wrapped)
}

func (v *Vault) newKey(ctx context.Context, job document.ID, c Class) ([]byte, error) {
	h, err := keyset.NewHandle(c.template())
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := h.WriteWithAssociatedData(keyset.NewBinaryWriter(&out), v.station, keyBinding(job, c)); err != nil {
		return nil, err
	}
	return v.keys.PutKey(ctx, job, c, out.Bytes())
}

func (v *Vault) unwrap(job document.ID, c Class, wrapped []byte) (*keyset.Handle, error) {
	h, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(wrapped)), v.station, keyBinding(job, c))
	if err != nil {
		return nil, damaged("unwrap a data key", err)
	}
	return h, nil
}

// keyBinding ties a wrapped key to its job and class.
func keyBinding(job document.ID, c Class) []byte {
	return []byte(domain + "key\n" + string(job) + "/" + string(c))
}

func (c Class) template() *tinkpb.KeyTemplate {
	if c.holdsBlobs() {
		return streamingaead.AES256GCMHKDF1MBKeyTemplate()
	}
	return aead.AES256GCMKeyTemplate()
}

// Seal encrypts a small message (a source reference, hints) under the job's Task key,
// which it makes where missing.
func (v *Vault) Seal(ctx context.Context, job document.ID, plaintext []byte) ([]byte, error) {
	h, err := v.ensureKey(ctx, job, Task)
	if err != nil {
		return nil, err
	}
	a, err := aead.New(h)
	if err != nil {
		return nil, damaged("use a data key", err)
	}
	sealed, err := a.Encrypt(plaintext, messageBinding(job))
	if err != nil {
		return nil, unavailable("seal a message", err)
	}
	return sealed, nil
}

// Unseal opens what Seal made for the same job. Errors: vault.key_destroyed,
// vault.damaged, vault.unavailable.
func (v *Vault) Unseal(ctx context.Context, job document.ID, sealed []byte) ([]byte, error) {
	h, err := v.dataKey(ctx, job, Task)
	if err != nil {
		return nil, err
	}
	a, err := aead.New(h)
	if err != nil {
		return nil, damaged("use a data key", err)
	}
	plaintext, err := a.Decrypt(sealed, messageBinding(job))
	if err != nil {
		return nil, damaged("open a sealed message", err)
	}
	return plaintext, nil
}

func messageBinding(job document.ID) []byte { return []byte(domain + "message\n" + string(job)) }

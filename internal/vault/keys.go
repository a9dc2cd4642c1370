package vault

import (
	"bytes"
	"context"
	"crypto/rand"
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
)

// domain separates the vault's ciphertexts from all others under the same keys.
const domain = "blotter.vault/1\n"

// stationKey reads the key that wraps data keys, or makes it where there is none. It
// refuses to make one beside blobs that an earlier key protects.
func stationKey(path, dir string) (tink.AEAD, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = newStationKey(path, dir); err != nil {
			return nil, err
		}
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

func newStationKey(path, dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unavailable("make the station key", err)
	}
	if len(entries) > 0 {
		if data, err := os.ReadFile(path); err == nil { // another process was faster, with key and blob
			return data, nil
		}
		return nil, unavailable("make the station key", errors.New("there are blobs already whose key is missing"))
	}
	h, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, unavailable("make the station key", err)
	}
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(h, keyset.NewJSONWriter(&out)); err != nil {
		return nil, unavailable("make the station key", err)
	}
	if err := durable.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, unavailable("make the station key", err)
	}
	return installOnce(path, out.Bytes())
}

// installOnce writes a file unless another process did first, and returns what stands
// there: two processes that start together must agree on one key.
func installOnce(path string, data []byte) ([]byte, error) {
	mine := path + "." + rand.Text()
	if err := durable.WriteFile(mine, data, 0o600); err != nil {
		return nil, unavailable("write the station key", err)
	}
	err := os.Link(mine, path) // fails where the name is taken, unlike a rename
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, unavailable("write the station key", err)
	}
	if err := durable.Remove(mine); err != nil { // syncs the directory, and so the new name
		return nil, unavailable("write the station key", err)
	}
	data, err = os.ReadFile(path)
	if err != nil {
		return nil, unavailable("read the station key", err)
	}
	return data, nil
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

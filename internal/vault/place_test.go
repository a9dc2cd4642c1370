package vault_test

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/objectstore"
	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/reason"
	"blotter/internal/vault"
)

// place is a vault and what is under it.
type place struct {
	where, keyFile string
	keys           *memoryKeys
	raw            raw
	*vault.Vault
}

// raw reaches the ciphertexts behind the vault's back, by their names in it.
type raw interface {
	names(t *testing.T) []string
	read(t *testing.T, name string) []byte
	write(t *testing.T, name string, data []byte)
	remove(t *testing.T, name string)
}

func newPlace(t *testing.T) *place {
	dir := filepath.Join(t.TempDir(), "vault")
	return newPlaceAt(t, dir, disk(dir))
}

func newPlaceAt(t *testing.T, where string, raw raw) *place {
	p := &place{where: where, keyFile: filepath.Join(t.TempDir(), "station.key"), keys: &memoryKeys{}, raw: raw}
	p.open(t)
	return p
}

// onEach runs a test on a directory, on a bucket in memory and, where the environment names
// one, on a real store.
func onEach(t *testing.T, test func(t *testing.T, p *place)) {
	t.Run("directory", func(t *testing.T) { test(t, newPlace(t)) })
	t.Run("bucket", func(t *testing.T) { test(t, inBucket(t, objectstoretest.Serve(t, nil))) })
	t.Run("real bucket", func(t *testing.T) {
		url, ok := objectstoretest.Real(t)
		if !ok {
			t.Skip("set " + objectstoretest.Variable + " to try a real store")
		}
		test(t, inBucket(t, url))
	})
}

func inBucket(t *testing.T, url string) *place {
	t.Helper()
	s, err := objectstore.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return newPlaceAt(t, url, objects{s.Under("vault")})
}

func (p *place) open(t *testing.T) {
	t.Helper()
	v, err := vault.Open(t.Context(), p.where, p.keyFile, p.keys)
	if err != nil {
		t.Fatal(err)
	}
	p.Vault = v
	t.Cleanup(func() { v.Close() })
}

// name is what the one blob of a job's class is called.
func (p *place) name(t *testing.T, r vault.Ref) string {
	t.Helper()
	list, err := p.List(t.Context(), r.Job)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, have := range list {
		if have.Class == r.Class {
			names = append(names, p.nameOf(have))
		}
	}
	if len(names) != 1 {
		t.Fatalf("there should be one blob, not %v", names)
	}
	return names[0]
}

func (p *place) nameOf(r vault.Ref) string {
	return string(r.Job) + "/" + string(r.Class) + "/" + numbersOf(r)
}

// disk is a directory.
type disk string

func (d disk) path(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

func (d disk) names(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir(string(d), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(string(d), path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (d disk) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(d.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (d disk) write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(d.path(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d disk) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(d.path(name)); err != nil {
		t.Fatal(err)
	}
}

// objects are those of a bucket.
type objects struct{ *objectstore.Store }

func (o objects) names(t *testing.T) (out []string) {
	t.Helper()
	if err := o.List(context.Background(), "", func(key string) error { out = append(out, key); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

func (o objects) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := o.Get(t.Context(), name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (o objects) write(t *testing.T, name string, data []byte) {
	t.Helper()
	w, err := o.Writer(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func (o objects) remove(t *testing.T, name string) {
	t.Helper()
	if err := o.Delete(t.Context(), name); err != nil {
		t.Fatal(err)
	}
}

// Documents of clients and what workers make stand apart by their numbers.
func numbersOf(r vault.Ref) string {
	const digits = "0123456789"
	return digits[r.Token:r.Token+1] + "-" + digits[r.Index:r.Index+1] // tests use no others
}

func uploadOf(job document.ID) vault.Ref { return vault.Ref{Job: job, Class: vault.Upload} }

// An upload to a bucket that outlives its key may still appear; the next sweep deletes it.
func TestDestroyedUploadToABucket(t *testing.T) {
	p := inBucket(t, objectstoretest.Serve(t, nil))
	job := document.NewID()
	w, err := p.Upload(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if !p.destroy(t, vault.KeyName{Job: job, Class: vault.Upload}) {
		t.Error("there was no key")
	}
	store(t, w, nil, pattern(10))
	if _, err := p.uploaded(t, job); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("readable without its key: %v", err)
	}
	gone, err := p.Sweep(t.Context(), func(vault.Ref) bool { return false })
	if err != nil || len(gone) != 1 || len(p.raw.names(t)) != 0 {
		t.Errorf("swept %v, %v", gone, err)
	}
}

// While a store does not answer, nothing is damaged, and every call says that it may pass.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	down := false
	p := inBucket(t, objectstoretest.Serve(t, func(w http.ResponseWriter, r *http.Request, fake http.Handler) {
		if down {
			w.WriteHeader(http.StatusForbidden) // which nobody tries again
			return
		}
		fake.ServeHTTP(w, r)
	}))
	r := ref(vault.Derivative)
	p.put(t, r, pattern(100))
	down = true
	w, err := p.Put(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	_, reading := p.get(t.Context(), r)
	_, listing := p.List(t.Context(), r.Job)
	_, destroying := p.Destroy(t.Context(), vault.KeyName{Job: r.Job, Class: r.Class}, func() error { return nil })
	for what, err := range map[string]error{"put": w.Close(), "get": reading, "list": listing, "destroy": destroying, "reach": p.Reach(t.Context())} {
		if reason.Of(err) != reason.VaultUnavailable || strings.Contains(err.Error(), string(r.Job)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	down = false
	if got, err := p.get(t.Context(), r); err != nil || len(got) != 100 {
		t.Errorf("afterwards: %d bytes, %v", len(got), err)
	}
	if err := p.Reach(t.Context()); err != nil {
		t.Errorf("afterwards it cannot be reached: %v", err)
	}
}

// A new station key beside a bucket with blobs would make them unreadable in silence.
func TestLostKeyBesideABucket(t *testing.T) {
	url := objectstoretest.Serve(t, nil)
	p := inBucket(t, url)
	p.put(t, ref(vault.Derivative), []byte("x"))
	if _, err := vault.Open(t.Context(), url, filepath.Join(t.TempDir(), "station.key"), p.keys); reason.Of(err) != reason.VaultUnavailable {
		t.Errorf("got %v", err)
	}
}

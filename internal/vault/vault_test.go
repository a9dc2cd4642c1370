package vault_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/vault"
)

// memoryKeys is vault.Keys in memory.
type memoryKeys struct {
	mu   sync.Mutex
	keys map[string][]byte
}

func (k *memoryKeys) PutKey(_ context.Context, job document.ID, c vault.Class, wrapped []byte) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	name := string(job) + string(c)
	if k.keys == nil {
		k.keys = map[string][]byte{}
	}
	if k.keys[name] == nil {
		k.keys[name] = wrapped
	}
	return k.keys[name], nil
}

func (k *memoryKeys) Key(_ context.Context, job document.ID, c vault.Class) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w := k.keys[string(job)+string(c)]; w != nil {
		return w, nil
	}
	return nil, reason.Because(reason.VaultKeyGone, nil)
}

func (k *memoryKeys) destroy(n vault.KeyName) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	name := string(n.Job) + string(n.Class)
	if k.keys[name] == nil {
		return reason.Because(reason.VaultKeyGone, nil)
	}
	delete(k.keys, name)
	return nil
}

type place struct {
	dir, keyFile string
	keys         *memoryKeys
	*vault.Vault
}

func newPlace(t *testing.T) *place {
	root := t.TempDir()
	p := &place{dir: filepath.Join(root, "vault"), keyFile: filepath.Join(root, "station.key"), keys: &memoryKeys{}}
	p.open(t)
	return p
}

func (p *place) open(t *testing.T) {
	t.Helper()
	v, err := vault.Open(t.Context(), p.dir, p.keyFile, p.keys)
	if err != nil {
		t.Fatal(err)
	}
	p.Vault = v
	t.Cleanup(func() { v.Close() })
}

func (p *place) put(t *testing.T, r vault.Ref, data []byte) {
	t.Helper()
	w, err := p.Put(t.Context(), r)
	store(t, w, err, data)
}

// store writes a blob that was begun.
func store(t *testing.T, w *vault.Writer, begun error, data []byte) {
	t.Helper()
	if begun != nil {
		t.Fatal(begun)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func (p *place) get(ctx context.Context, r vault.Ref) ([]byte, error) {
	rd, err := p.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(rd)
	return data, errors.Join(err, rd.Close())
}

// file is where a blob lies.
func (p *place) file(r vault.Ref) string {
	names, err := filepath.Glob(filepath.Join(p.dir, string(r.Job), string(r.Class), "*"))
	if err != nil || len(names) != 1 {
		panic("there should be one blob")
	}
	return names[0]
}

func (p *place) files(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ref(c vault.Class) vault.Ref {
	return vault.Ref{Job: document.NewID(), Class: c, Token: 7, Index: 1}
}

// pattern is n bytes that repeat with a period that no segment has.
func pattern(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i * 7 % 251)
	}
	return out
}

func TestBlobsComeBackAsTheyWere(t *testing.T) {
	p := newPlace(t)
	for _, size := range []int{0, 1, 1<<20 - 40, 1 << 20, 3<<20 + 5} {
		r, want := ref(vault.Derivative), pattern(size)
		p.put(t, r, want)
		got, err := p.get(t.Context(), r)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	r := ref(vault.Original)
	p.put(t, r, []byte("before"))
	p.put(t, r, []byte("after"))
	if got, err := p.get(t.Context(), r); err != nil || string(got) != "after" {
		t.Errorf("a second Put: %q, %v", got, err)
	}
	p.Close()
	p.open(t)
	if got, err := p.get(t.Context(), r); err != nil || string(got) != "after" {
		t.Errorf("after a new start: %q, %v", got, err)
	}
}

func TestNothingIsReadableOnDisk(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Original)
	canary := []byte("CANARY-4711 Rosalind Example")
	p.put(t, r, bytes.Repeat(canary, 1000))
	stored, err := os.ReadFile(p.file(r))
	if err != nil || bytes.Contains(stored, canary) {
		t.Errorf("the plaintext lies on disk: %v", err)
	}
	for path, want := range map[string]fs.FileMode{p.keyFile: 0o600, p.dir: 0o700, p.file(r): 0o600, filepath.Dir(p.file(r)): 0o700} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", filepath.Base(path), st.Mode(), err, want)
		}
	}
}

func TestDamageIsSeen(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Derivative)
	p.put(t, r, pattern(2<<20+100))
	good, err := os.ReadFile(p.file(r))
	if err != nil {
		t.Fatal(err)
	}
	flip := func(i int) []byte { b := bytes.Clone(good); b[i] ^= 1; return b }
	for name, bad := range map[string][]byte{
		"first bit":             flip(0),
		"bit of the salt":       flip(10),
		"bit in the first part": flip(1000),
		"bit in the last part":  flip(len(good) - 50),
		"last bit":              flip(len(good) - 1),
		"one byte less":         good[:len(good)-1],
		"one segment only":      good[:1<<20],
		"two segments":          good[:2<<20],
		"header only":           good[:40],
		"half a header":         good[:20],
		"nothing":               {},
		"one byte more":         append(bytes.Clone(good), 0),
	} {
		if err := os.WriteFile(p.file(r), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultDamaged {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(p.file(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("missing: %v", err)
	}
}

// A reader that goes on after an error must not come to an end that looks regular.
func TestReadErrorsStick(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Derivative)
	p.put(t, r, pattern(2<<20))
	stored, err := os.ReadFile(p.file(r))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.file(r), stored[:len(stored)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	rd, err := p.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	if _, err := io.Copy(io.Discard, rd); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("first: %v", err)
	}
	if n, err := rd.Read(make([]byte, 10)); n != 0 || reason.Of(err) != reason.VaultDamaged {
		t.Errorf("again: %d bytes, %v", n, err)
	}
}

func TestSwappedBlobsAreSeen(t *testing.T) {
	p := newPlace(t)
	a := ref(vault.Derivative)
	p.put(t, a, []byte("first"))
	stored, err := os.ReadFile(p.file(a))
	if err != nil {
		t.Fatal(err)
	}
	otherIndex, otherToken := a, a
	otherIndex.Index, otherToken.Token = 2, 8
	otherClass, otherJob := a, a
	otherClass.Class, otherJob.Job = vault.Original, document.NewID()
	for name, b := range map[string]vault.Ref{"index": otherIndex, "token": otherToken, "class": otherClass, "job": otherJob} {
		p.put(t, b, []byte("second"))
		for _, path := range p.files(t) {
			if strings.HasPrefix(path, filepath.Join(p.dir, string(b.Job), string(b.Class))) && path != filepath.Join(p.dir, string(a.Job), "derivative", "7-1") {
				if err := os.WriteFile(path, stored, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, err := p.get(t.Context(), b); reason.Of(err) != reason.VaultDamaged {
			t.Errorf("under another %s: %q, %v", name, got, err)
		}
	}
	if got, err := p.get(t.Context(), a); err != nil || string(got) != "first" {
		t.Errorf("the blob in its own place: %q, %v", got, err)
	}
}

func TestSwappedKeysAreSeen(t *testing.T) {
	p := newPlace(t)
	a, b := ref(vault.Derivative), ref(vault.Derivative)
	p.put(t, a, []byte("a"))
	p.put(t, b, []byte("b"))
	p.keys.keys[string(a.Job)+"derivative"] = p.keys.keys[string(b.Job)+"derivative"]
	if _, err := p.get(t.Context(), a); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("another job's key: %v", err)
	}
}

func TestDestroyedKeyDestroysTheData(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Original)
	p.put(t, r, []byte("secret"))
	delete(p.keys.keys, string(r.Job)+"original")
	if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("got %v", err)
	}
}

func TestUnfinishedBlobsAreInvisible(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Derivative)
	w, err := p.Put(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(pattern(3 << 20)); err != nil {
		t.Fatal(err)
	}
	if list, err := p.List(t.Context(), r.Job); err != nil || len(list) != 0 {
		t.Errorf("listed %v, %v", list, err)
	}
	if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("readable before Close: %v", err)
	}
	w.Abort()
	w.Abort() // has no effect
	if err := w.Close(); err == nil {
		t.Error("closed after Abort")
	}
	if left := p.files(t); len(left) != 0 {
		t.Errorf("Abort left %v", left)
	}
}

func TestCancelledPutLeavesNothing(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	w, err := p.Put(ctx, ref(vault.Derivative))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Close(); err == nil {
		t.Error("closed under a cancelled context")
	}
	if left := p.files(t); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestSweepAndDelete(t *testing.T) {
	p := newPlace(t)
	job := document.NewID()
	at := func(token int64, index int, c vault.Class) vault.Ref {
		return vault.Ref{Job: job, Class: c, Token: token, Index: index}
	}
	stale, final, original := at(1, 1, vault.Derivative), at(2, 1, vault.Derivative), at(2, 1, vault.Original)
	other := ref(vault.Derivative)
	for _, r := range []vault.Ref{stale, final, original, other} {
		p.put(t, r, []byte("x"))
	}
	partial := filepath.Join(p.dir, string(job), "derivative", "1-2.18f0a.tmp") // as a killed process leaves it
	foreign := filepath.Join(p.dir, "README")
	for _, path := range []string{partial, foreign} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := p.Sweep(t.Context(), func(r vault.Ref) bool { return r.Token == 2 || r.Job != job })
	if err != nil || !slices.Equal(gone, []vault.Ref{stale, at(1, 2, vault.Derivative)}) {
		t.Errorf("swept %v, %v", gone, err)
	}
	list, err := p.List(t.Context(), job)
	if err != nil || !slices.Equal(list, []vault.Ref{final, original}) {
		t.Errorf("left %v, %v", list, err)
	}
	if all, err := p.List(t.Context(), ""); err != nil || len(all) != 3 {
		t.Errorf("of all jobs %v, %v", all, err)
	}
	p.destroy(t, vault.KeyName{Job: job, Class: vault.Original})
	if list, _ := p.List(t.Context(), job); !slices.Equal(list, []vault.Ref{final}) {
		t.Errorf("left %v", list)
	}
	for range 2 { // the second time there is nothing
		p.destroy(t, vault.KeyName{Job: job, Class: vault.Derivative})
	}
	if _, err := os.Stat(filepath.Join(p.dir, string(job))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the job's directory stays: %v", err)
	}
	if got, err := p.get(t.Context(), other); err != nil || string(got) != "x" {
		t.Errorf("another job's blob: %q, %v", got, err)
	}
}

// destroy destroys a class as the rooms do, and reports whether it had a key.
func (p *place) destroy(t *testing.T, k vault.KeyName) bool {
	t.Helper()
	had, err := p.Destroy(t.Context(), k, func() error { return p.keys.destroy(k) })
	if err != nil {
		t.Fatal(err)
	}
	return had
}

// Where the key cannot be destroyed, nothing is deleted; where it is gone, the rest is.
func TestDestroyGoesOnWhereItWasCut(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Derivative)
	k := vault.KeyName{Job: r.Job, Class: r.Class}
	p.put(t, r, []byte("x"))
	busy := reason.Because(reason.QueueBusy, nil)
	if had, err := p.Destroy(t.Context(), k, func() error { return busy }); had || reason.Of(err) != reason.QueueBusy {
		t.Errorf("destroyed: %v, %v", had, err)
	}
	if got, err := p.get(t.Context(), r); err != nil || string(got) != "x" {
		t.Errorf("after a failure: %q, %v", got, err)
	}
	if err := p.keys.destroy(k); err != nil { // and the process dies
		t.Fatal(err)
	}
	if p.destroy(t, k) {
		t.Error("a key was destroyed twice")
	}
	if left := p.files(t); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestSealedMessages(t *testing.T) {
	p := newPlace(t)
	job, other := document.NewID(), document.NewID()
	sealed, err := p.Seal(t.Context(), job, []byte("/home/somebody/referral.pdf"))
	if err != nil || bytes.Contains(sealed, []byte("referral")) {
		t.Fatalf("%q, %v", sealed, err)
	}
	if got, err := p.Unseal(t.Context(), job, sealed); err != nil || string(got) != "/home/somebody/referral.pdf" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := p.Unseal(t.Context(), other, sealed); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("a job without a key: %v", err)
	}
	if _, err := p.Seal(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Unseal(t.Context(), other, sealed); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("another job's message: %v", err)
	}
	for i := range sealed {
		sealed[i] ^= 1
		if _, err := p.Unseal(t.Context(), job, sealed); reason.Of(err) != reason.VaultDamaged {
			t.Errorf("byte %d changed: %v", i, err)
		}
		sealed[i] ^= 1
	}
}

func TestNamesThatNobodyMayGive(t *testing.T) {
	p := newPlace(t)
	good := ref(vault.Derivative)
	for name, change := range map[string]func(*vault.Ref){
		"path as job": func(r *vault.Ref) { r.Job = "../../../../etc/passwd" },
		"no job":      func(r *vault.Ref) { r.Job = "" },
		"path class":  func(r *vault.Ref) { r.Class = "../x" },
		"task class":  func(r *vault.Ref) { r.Class = vault.Task },
		"no token":    func(r *vault.Ref) { r.Token = 0 },
		"no index":    func(r *vault.Ref) { r.Index = 0 },
		"no numbers":  func(r *vault.Ref) { r.Token, r.Index = 0, 0 },

		"numbered upload":    func(r *vault.Ref) { r.Class = vault.Upload },
		"upload of a token":  func(r *vault.Ref) { r.Class, r.Index = vault.Upload, 0 },
		"upload of an index": func(r *vault.Ref) { r.Class, r.Token = vault.Upload, 0 },
	} {
		r := good
		change(&r)
		if w, err := p.Put(t.Context(), r); err == nil {
			w.Abort()
			t.Errorf("%s was accepted", name)
		}
		if _, err := p.Open(t.Context(), r); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
	_, err := p.Destroy(t.Context(), vault.KeyName{Job: "..", Class: vault.Original}, func() error { return nil })
	if err == nil {
		t.Error("a path was deleted as a job")
	}
}

func TestDeleteSupersededSparesTheTokenThatCounts(t *testing.T) {
	p := newPlace(t)
	mine, other := ref(vault.Derivative), ref(vault.Derivative)
	for token := range int64(3) {
		mine.Token = token + 1
		p.put(t, mine, pattern(10))
	}
	p.put(t, other, pattern(10))
	if err := p.DeleteSuperseded(t.Context(), mine.Job, 2); err != nil {
		t.Fatal(err)
	}
	mine.Token = 2
	for _, want := range []vault.Ref{mine, other} {
		if refs, err := p.List(t.Context(), want.Job); err != nil || len(refs) != 1 || refs[0] != want {
			t.Errorf("left of the job: %v, %v; want %v alone", refs, err, want)
		}
	}
}

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

func TestBlobsComeBackAsTheyWere(t *testing.T) { onEach(t, blobsComeBackAsTheyWere) }

func blobsComeBackAsTheyWere(t *testing.T, p *place) {
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
	if stored := p.raw.read(t, p.name(t, r)); bytes.Contains(stored, canary) {
		t.Error("the plaintext lies on disk")
	}
	file := filepath.Join(p.where, p.name(t, r))
	for path, want := range map[string]fs.FileMode{p.keyFile: 0o600, p.where: 0o700, file: 0o600, filepath.Dir(file): 0o700} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", filepath.Base(path), st.Mode(), err, want)
		}
	}
}

func TestDamageIsSeen(t *testing.T) { onEach(t, damageIsSeen) }

func damageIsSeen(t *testing.T, p *place) {
	r := ref(vault.Derivative)
	p.put(t, r, pattern(2<<20+100))
	name := p.name(t, r)
	good := p.raw.read(t, name)
	flip := func(i int) []byte { b := bytes.Clone(good); b[i] ^= 1; return b }
	for what, bad := range map[string][]byte{
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
		p.raw.write(t, name, bad)
		if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultDamaged {
			t.Errorf("%s: %v", what, err)
		}
	}
	p.raw.remove(t, name)
	if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("missing: %v", err)
	}
}

// A reader that goes on after an error must not come to an end that looks regular.
func TestReadErrorsStick(t *testing.T) { onEach(t, readErrorsStick) }

func readErrorsStick(t *testing.T, p *place) {
	r := ref(vault.Derivative)
	p.put(t, r, pattern(2<<20))
	stored := p.raw.read(t, p.name(t, r))
	p.raw.write(t, p.name(t, r), stored[:len(stored)-1])
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

func TestSwappedBlobsAreSeen(t *testing.T) { onEach(t, swappedBlobsAreSeen) }

func swappedBlobsAreSeen(t *testing.T, p *place) {
	a := ref(vault.Derivative)
	p.put(t, a, []byte("first"))
	stored := p.raw.read(t, p.name(t, a))
	otherIndex, otherToken := a, a
	otherIndex.Index, otherToken.Token = 2, 8
	otherClass, otherJob := a, a
	otherClass.Class, otherJob.Job = vault.Original, document.NewID()
	for name, b := range map[string]vault.Ref{"index": otherIndex, "token": otherToken, "class": otherClass, "job": otherJob} {
		p.put(t, b, []byte("second"))
		p.raw.write(t, p.nameOf(b), stored)
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

func TestDestroyedKeyDestroysTheData(t *testing.T) { onEach(t, destroyedKeyDestroysTheData) }

func destroyedKeyDestroysTheData(t *testing.T, p *place) {
	r := ref(vault.Original)
	p.put(t, r, []byte("secret"))
	delete(p.keys.keys, string(r.Job)+"original")
	if _, err := p.get(t.Context(), r); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("got %v", err)
	}
}

func TestUnfinishedBlobsAreInvisible(t *testing.T) { onEach(t, unfinishedBlobsAreInvisible) }

func unfinishedBlobsAreInvisible(t *testing.T, p *place) {
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
	if left := p.raw.names(t); len(left) != 0 {
		t.Errorf("Abort left %v", left)
	}
}

func TestCancelledPutLeavesNothing(t *testing.T) { onEach(t, cancelledPutLeavesNothing) }

func cancelledPutLeavesNothing(t *testing.T, p *place) {
	ctx, cancel := context.WithCancel(t.Context())
	w, err := p.Put(ctx, ref(vault.Derivative))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Close(); err == nil {
		t.Error("closed under a cancelled context")
	}
	if left := p.raw.names(t); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestSweepAndDelete(t *testing.T) { onEach(t, sweepAndDelete) }

func sweepAndDelete(t *testing.T, p *place) {
	job := document.NewID()
	at := func(token int64, index int, c vault.Class) vault.Ref {
		return vault.Ref{Job: job, Class: c, Token: token, Index: index}
	}
	stale, final, original := at(1, 1, vault.Derivative), at(2, 1, vault.Derivative), at(2, 1, vault.Original)
	other := ref(vault.Derivative)
	for _, r := range []vault.Ref{stale, final, original, other} {
		p.put(t, r, []byte("x"))
	}
	partial := string(job) + "/derivative/1-2.18f0a.tmp" // as a killed process leaves it on a disk
	for _, name := range []string{partial, "README"} {
		p.raw.write(t, name, []byte("half"))
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
	if left := p.raw.names(t); len(left) != 2 || !slices.Contains(left, "README") {
		t.Errorf("left are %v", left)
	}
	if _, err := os.Stat(filepath.Join(p.where, string(job))); !errors.Is(err, fs.ErrNotExist) {
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
func TestDestroyGoesOnWhereItWasCut(t *testing.T) { onEach(t, destroyGoesOnWhereItWasCut) }

func destroyGoesOnWhereItWasCut(t *testing.T, p *place) {
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
	if left := p.raw.names(t); len(left) != 0 {
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

func TestNamesThatNobodyMayGive(t *testing.T) { onEach(t, namesThatNobodyMayGive) }

func namesThatNobodyMayGive(t *testing.T, p *place) {
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
	onEach(t, deleteSupersededSparesTheTokenThatCounts)
}

func deleteSupersededSparesTheTokenThatCounts(t *testing.T, p *place) {
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

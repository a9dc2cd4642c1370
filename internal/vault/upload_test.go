package vault_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/vault"
)

// upload stores a document as a client sends it.
func (p *place) upload(t *testing.T, job document.ID, data []byte) {
	t.Helper()
	w, err := p.Upload(t.Context(), job)
	store(t, w, err, data)
}

func (p *place) uploaded(t *testing.T, job document.ID) ([]byte, error) {
	rd, err := p.OpenUpload(t.Context(), job)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	return io.ReadAll(rd)
}

func TestUploadsComeBackAsTheyWere(t *testing.T) { onEach(t, uploadsComeBackAsTheyWere) }

func uploadsComeBackAsTheyWere(t *testing.T, p *place) {
	for _, size := range []int{0, 1, 1<<20 - 40, 3<<20 + 5} {
		job, want := document.NewID(), pattern(size)
		p.upload(t, job, want)
		if got, err := p.uploaded(t, job); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
		if list, err := p.List(t.Context(), job); err != nil || len(list) != 1 || list[0] != uploadOf(job) {
			t.Errorf("listed %v, %v", list, err)
		}
	}
	if _, err := p.uploaded(t, document.NewID()); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("of a job without one: %v", err)
	}
	for _, bad := range []document.ID{"", "..", "../../../etc/passwd"} {
		if w, err := p.Upload(t.Context(), bad); err == nil {
			w.Abort()
			t.Errorf("%q was taken for a job", bad)
		}
	}
}

// Not even the part of a document whose upload was cut lies readable on the disk.
func TestUploadsAreNeverSpilled(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TMPDIR", t.TempDir())
	canary := []byte("CANARY-4711 Rosalind Example")
	w, err := p.Upload(t.Context(), document.NewID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat(canary, 100000)); err != nil { // some segments are on disk by now
		t.Fatal(err)
	}
	look := func(when string, least int) {
		t.Helper()
		size := 0
		for _, name := range p.raw.names(t) {
			stored := p.raw.read(t, name)
			if bytes.Contains(stored, canary[:12]) {
				t.Errorf("%s: the plaintext lies on disk", when)
			}
			size += len(stored)
		}
		if size < least {
			t.Errorf("%s: %d bytes are on disk; the search is blind", when, size)
		}
		if spilled, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(spilled) != 0 {
			t.Errorf("%s: %d files lie elsewhere, %v", when, len(spilled), err)
		}
	}
	look("under way", 1<<20)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	look("stored", len(canary)*100000)
}

// A document cannot be taken for another's, nor for what a worker made.
func TestSwappedUploadsAreSeen(t *testing.T) { onEach(t, swappedUploadsAreSeen) }

func swappedUploadsAreSeen(t *testing.T, p *place) {
	a, b := document.NewID(), document.NewID()
	p.upload(t, a, []byte("a"))
	p.upload(t, b, []byte("b"))
	stored := p.raw.read(t, p.name(t, uploadOf(a)))
	p.raw.write(t, p.name(t, uploadOf(b)), stored)
	if _, err := p.uploaded(t, b); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("another job's document: %v", err)
	}
	other := vault.Ref{Job: a, Class: vault.Derivative, Token: 1, Index: 1}
	p.put(t, other, []byte("c"))
	p.raw.write(t, p.name(t, other), stored)
	if _, err := p.get(t.Context(), other); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("a document as derivative: %v", err)
	}
}

// The rules of tokens say nothing about what no worker wrote.
func TestDeleteSupersededSparesTheUpload(t *testing.T) { onEach(t, deleteSupersededSparesTheUpload) }

func deleteSupersededSparesTheUpload(t *testing.T, p *place) {
	r := ref(vault.Derivative)
	p.upload(t, r.Job, []byte("document"))
	p.put(t, r, []byte("x"))
	if err := p.DeleteSuperseded(t.Context(), r.Job, r.Token+1); err != nil {
		t.Fatal(err)
	}
	if list, err := p.List(t.Context(), r.Job); err != nil || len(list) != 1 || list[0] != uploadOf(r.Job) {
		t.Errorf("left are %v, %v", list, err)
	}
}

// The class is destroyed like any other, finished or not; the rest of the job stays, and
// who is still sending finds its end.
func TestUploadsAreDestroyed(t *testing.T) {
	p := newPlace(t)
	r := ref(vault.Derivative)
	p.put(t, r, []byte("x"))
	w, err := p.Upload(t.Context(), r.Job)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(pattern(2 << 20)); err != nil {
		t.Fatal(err)
	}
	if !p.destroy(t, vault.KeyName{Job: r.Job, Class: vault.Upload}) {
		t.Error("there was no key")
	}
	if left := p.raw.names(t); len(left) != 1 || left[0] != p.name(t, r) {
		t.Errorf("left are %v", left)
	}
	if err := w.Close(); err == nil {
		t.Error("a destroyed upload was stored")
	}
	if left, err := filepath.Glob(filepath.Join(p.where, string(r.Job), "upload", "*")); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// Others finish, abort and destroy while a sweep walks by: what is gone is no trouble.
func TestSweepPassesOverWhatVanishes(t *testing.T) {
	p := newPlace(t)
	for range 5 {
		p.upload(t, document.NewID(), []byte("x"))
	}
	seen := 0
	gone, err := p.Sweep(t.Context(), func(r vault.Ref) bool {
		seen++
		entries, err := os.ReadDir(p.where)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries { // all others, and this one too
			if err := os.RemoveAll(filepath.Join(p.where, e.Name())); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	if err != nil || seen != 1 || len(gone) != 1 {
		t.Errorf("saw %d, swept %v, %v", seen, gone, err)
	}
}

package sequencer_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/audit"
	"blotter/internal/audit/sequencer"
	"blotter/internal/objectstore"
	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/reason"
)

// A host joins with the key alone; with another key, or without one, it is refused, and
// makes none.
func TestJoining(t *testing.T) {
	f := newFleet(t)
	a, b := f.host(), f.host()
	a.mustOpen()
	b.mustOpen()
	if len(b.seq.Trust().Keys) != 1 || b.seq.Trust().Keys[0] != a.seq.Trust().Keys[0] || b.seq.Trust().Origin != a.seq.Trust().Origin {
		t.Errorf("%+v trusts otherwise than %+v", b.seq.Trust(), a.seq.Trust())
	}
	list, err := audit.FirstTrust(t.Context(), f.log)
	if err != nil || len(list.Keys) != 1 || list.Origin != a.seq.Trust().Origin {
		t.Errorf("the log says %+v, %v", list, err)
	}

	f.key = filepath.Join(t.TempDir(), "signing.key")
	if err := f.host().open(); reason.Of(err) != reason.AuditKey {
		t.Errorf("without a key: %v", err)
	}
	if _, err := os.Stat(f.key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key was made: %v", err)
	}
	other := t.TempDir()
	closeIt(t, open(t, other, &memoryLog{}))
	f.key = sequencer.KeyPath(other)
	if err := f.host().open(); reason.Of(err) != reason.AuditKey {
		t.Errorf("another key: %v", err)
	}
}

// Who may not sign by the database's word signs nothing.
func TestIdentify(t *testing.T) {
	f := newFleet(t)
	h := f.host()
	c, err := h.config()
	if err != nil {
		t.Fatal(err)
	}
	want, err := sequencer.Identity(f.key)
	if err != nil || len(want) != 64 {
		t.Fatalf("identity %q, %v", want, err)
	}
	c.Identify = func(_ context.Context, got string) error {
		if got != want {
			t.Errorf("asked for %s", got)
		}
		return reason.Because(reason.StationKeys, nil)
	}
	if _, err := sequencer.Open(t.Context(), c); reason.Of(err) != reason.StationKeys || len(f.log.entries) != 0 {
		t.Errorf("%v, %d entries", err, len(f.log.entries))
	}
	if none, err := sequencer.Identity(filepath.Join(t.TempDir(), "none")); none != "" || err != nil {
		t.Errorf("of no file: %q, %v", none, err)
	}
}

// With a store that overwrites, two could sign one number.
func TestStoreThatOverwritesIsRefused(t *testing.T) {
	objects, err := objectstore.Open(t.Context(), objectstoretest.Serve(t, func(w http.ResponseWriter, r *http.Request, fake http.Handler) {
		r.Header.Del("If-None-Match")
		fake.ServeHTTP(w, r)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	if _, err := sequencer.Shared(t.Context(), objects); reason.Of(err) != reason.VaultOverwrites {
		t.Errorf("got %v", err)
	}
}

// Old records go, and the last stay.
func TestRecordsArePruned(t *testing.T) {
	f := newFleet(t)
	a := f.host()
	a.mustOpen()
	for range 140 {
		f.receive(1)
		a.seal()
	}
	n := 0
	if err := f.objects.List(t.Context(), "", func(string) error { n++; return nil }); err != nil || n < 16 || n > 100 {
		t.Errorf("%d records are left, %v", n, err)
	}
	f.host().mustOpen()
}

package sqlite_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"testing"

	"blotter/internal/document"
	"blotter/internal/vault"
	"blotter/receipt"
)

func TestDestroyedKeyIsGoneFromEveryFile(t *testing.T) {
	db, path, _ := openNew(t)
	job, wrapped := document.NewID(), make([]byte, 200)
	rand.Read(wrapped)
	if _, err := db.PutKey(t.Context(), job, vault.Original, wrapped); err != nil {
		t.Fatal(err)
	}
	if !onDisk(t, path, wrapped) {
		t.Fatal("the key is on no file even before; the search is blind")
	}
	deleted := receipt.Event{Kind: receipt.Deleted}
	if err := db.DestroyKey(t.Context(), job, vault.Original, deleted); err != nil {
		t.Fatal(err)
	}
	if onDisk(t, path, wrapped) {
		t.Error("the destroyed key can be read from a file")
	}
}

// onDisk looks for the middle of a secret in the database and its companions.
func onDisk(t *testing.T, path string, secret []byte) bool {
	t.Helper()
	found := false
	for _, suffix := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(b, secret[50:100])
	}
	return found
}

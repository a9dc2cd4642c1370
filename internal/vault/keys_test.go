package vault_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/vault"
)

func TestStationKeyIsMadeOnceAndNeverReplaced(t *testing.T) {
	p := newPlace(t)
	p.put(t, ref(vault.Derivative), []byte("x"))
	if err := os.Chmod(p.keyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Open(t.Context(), p.where, p.keyFile, p.keys); reason.Of(err) != reason.VaultUnavailable {
		t.Errorf("a key that others may read: %v", err)
	}
	if err := os.WriteFile(p.keyFile, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.keyFile, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Open(t.Context(), p.where, p.keyFile, p.keys); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("a damaged key: %v", err)
	}
	if err := os.Remove(p.keyFile); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Open(t.Context(), p.where, p.keyFile, p.keys); reason.Of(err) != reason.VaultUnavailable {
		t.Errorf("a lost key beside blobs: %v", err)
	}
}

// Processes that start together on an empty directory agree on one key.
func TestStationKeyRace(t *testing.T) {
	root := t.TempDir()
	keys := &memoryKeys{}
	var vaults [4]*vault.Vault
	var wg sync.WaitGroup
	for i := range vaults {
		wg.Go(func() {
			v, err := vault.Open(t.Context(), filepath.Join(root, "vault"), filepath.Join(root, "station.key"), keys)
			if err != nil {
				t.Error(err)
				return
			}
			vaults[i] = v
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	job := document.NewID()
	sealed, err := vaults[0].Seal(t.Context(), job, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vaults {
		if _, err := v.Unseal(t.Context(), job, sealed); err != nil {
			t.Error(err)
		}
		v.Close()
	}
}

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/config"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// No document is fetched from where keys, blobs or the connection string lie, wherever an
// operator has put them.
func TestSourcesLeaveOutWhatIsPrivate(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	cfg := config.Config{
		Data: at("data"), WorkDir: at("work"), StationKey: at("keys/station.key"), AuditKey: at("signing/key"), Vault: at("vault"), DatabaseFile: at("etc/dsn"),
	}
	const own = "directory of blotter's own"
	for _, dir := range []string{"data/audit", "work", "keys", "signing", "vault/j1", "etc", "scans"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	open := func(dir string) error {
		s, err := source.Open(source.Config{Prefixes: []string{"file://" + at(dir) + "/"}, Private: private(cfg)})
		if err == nil {
			s.Close()
		}
		return err
	}
	for _, dir := range []string{"data", "data/audit", "work", "keys", "signing", "vault", "vault/j1", "etc", ""} {
		if err := open(dir); reason.Of(err) != reason.ConfigInvalid || !strings.Contains(err.Error(), own) {
			t.Errorf("documents may lie in %q: %v", dir, err)
		}
	}
	if err := open("scans"); err != nil {
		t.Error(err)
	}
	cfg.Vault = "s3://bucket/prefix"
	if err := open("scans"); err != nil {
		t.Error(err)
	}
}

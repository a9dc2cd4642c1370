//go:build crashpoints

package vault_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blotter/internal/document"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
)

// placeDir tells the test binary that it is the child, and where it lives.
const placeDir = "BLOTTER_TEST_VAULT"

var crashJob = document.ID("j" + strings.Repeat("0", 26))

// crashBlobs are what the child puts: what a client sent, and what a worker extracts.
var crashBlobs = []vault.Ref{
	{Job: crashJob, Class: vault.Upload},
	{Job: crashJob, Class: vault.Original, Token: 1, Index: 1},
	{Job: crashJob, Class: vault.Original, Token: 1, Index: 2},
}

// TestVaultChild is no test: it is the process that the crash test kills. It says when
// a blob is put.
func TestVaultChild(t *testing.T) {
	dir := os.Getenv(placeDir)
	if dir == "" {
		t.Skip("only runs as a child of TestKilledWhilePutting")
	}
	db, v := openStore(t, dir)
	p := &place{Vault: v}
	for i, r := range crashBlobs {
		p.put(t, r, pattern(1<<20+i))
		fmt.Println("put", i+1)
	}
	v.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func openStore(t *testing.T, dir string) (*sqlite.DB, *vault.Vault) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Open(t.Context(), filepath.Join(dir, "vault"), filepath.Join(dir, "station.key"), db)
	if err != nil {
		t.Fatal(err)
	}
	return db, v
}

// A real process is killed at each durable operation of three Puts. What is listed is
// whole; what it said was put is listed; what is left over can be swept away.
func TestKilledWhilePutting(t *testing.T) {
	for n := 1; ; n++ {
		dir := t.TempDir()
		said, killed := runVaultChild(t, dir, n)
		db, v := openStore(t, dir)
		p := &place{Vault: v, raw: disk(filepath.Join(dir, "vault"))}
		list, err := v.List(t.Context(), crashJob)
		if err != nil || len(list) < said {
			t.Errorf("point %d: %d blobs were put, %v are listed, %v", n, said, list, err)
		}
		for _, r := range list {
			got, err := p.get(t.Context(), r)
			if i := slices.Index(crashBlobs, r); err != nil || i < 0 || !slices.Equal(got, pattern(1<<20+i)) {
				t.Errorf("point %d: blob %v: %d bytes, %v", n, r, len(got), err)
			}
		}
		if _, err := v.Sweep(t.Context(), func(vault.Ref) bool { return false }); err != nil {
			t.Error(err)
		}
		if left := p.raw.names(t); len(left) != 0 {
			t.Errorf("point %d: the sweep left %d files", n, len(left))
		}
		onlyKnownNames(t, n, dir)
		v.Close()
		db.Close()
		if !killed {
			if n < 30 || said != len(crashBlobs) {
				t.Errorf("only %d points were passed; the test has lost its object", n-1)
			}
			t.Logf("killed at %d points", n-1)
			return
		}
	}
}

// onlyKnownNames looks for copies of the station key: none but the key itself may stand,
// at whichever instant of its making the process was killed.
func onlyKnownNames(t *testing.T, point int, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "blotter.db") && e.Name() != "station.key.lock" {
			names = append(names, e.Name())
		}
	}
	if !slices.Equal(names, []string{"station.key", "vault"}) {
		t.Errorf("point %d: after recovery there stand %v", point, names)
	}
	if st, err := os.Stat(filepath.Join(dir, "station.key.lock")); err == nil && st.Size() != 0 {
		t.Errorf("point %d: the lock file holds %d bytes", point, st.Size())
	}
}

func runVaultChild(t *testing.T, dir string, n int) (said int, killed bool) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestVaultChild$")
	child.Env = append(os.Environ(), placeDir+"="+dir, fmt.Sprintf("BLOTTER_CRASH=*:%d", n))
	out, err := child.Output()
	said = strings.Count(string(out), "put ")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return said, true
	}
	if err != nil {
		t.Fatalf("point %d: %v\n%s", n, err, out)
	}
	return said, false
}

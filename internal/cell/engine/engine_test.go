package engine

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/reason"
)

func TestLockPinsEveryRoleForEveryMachine(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		roles := map[string]int{}
		for _, p := range pinned().Packages {
			sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
			if err != nil || len(sum) != 64 {
				t.Errorf("%s: integrity is no SHA-512", p.Name)
			}
			for _, m := range p.Members {
				if m.SHA256.IsZero() || m.Bytes <= 0 || m.Licence == "" || filepath.Base(m.File) != m.File {
					t.Errorf("%s: %+v is incomplete", p.Name, m)
				}
				if m.Arch == "" || m.Arch == arch {
					roles[m.Role]++
				}
			}
		}
		for _, r := range []string{roleDetection, roleRecognition, roleAngle, roleDictionary, roleLibrary} {
			if roles[r] != 1 {
				t.Errorf("%s: %d files for %s, want 1", arch, roles[r], r)
			}
		}
	}
}

func TestOpenInstalled(t *testing.T) {
	set, err := Open(installed(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(set.Digests()); got != 5 {
		t.Errorf("%d digests, want 5", got)
	}
	for _, d := range set.Digests() {
		if d.Name == "" || d.SHA256.IsZero() {
			t.Errorf("digest %+v is incomplete", d)
		}
	}
}

func TestOpenRefusesWhatIsNotPinned(t *testing.T) {
	damage := map[string]func(path string) error{
		"absent":    os.Remove,
		"truncated": func(p string) error { return os.Truncate(p, 100) },
		"longer":    func(p string) error { return appendByte(p) },
		"one bit":   flipBit,
	}
	for name, hurt := range damage {
		t.Run(name, func(t *testing.T) {
			dir := copyOf(t, installed(t))
			if err := hurt(filepath.Join(dir, "dictionary.txt")); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir)
			if reason.Of(err) != reason.CellEngines {
				t.Fatalf("got %v, want %s", err, reason.CellEngines)
			}
			if !strings.Contains(err.Error(), "make setup") {
				t.Errorf("%q does not say what to run", err)
			}
		})
	}
}

func TestDirFollowsEnvironment(t *testing.T) {
	t.Setenv("BLOTTER_ENGINES", "/opt/engines")
	if got, err := Dir(); err != nil || got != "/opt/engines" {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv("BLOTTER_ENGINES", "")
	t.Setenv("XDG_CACHE_HOME", "/c")
	got, err := Dir()
	if err != nil || filepath.Dir(got) != "/c/blotter/engines" || len(filepath.Base(got)) != 16 {
		t.Errorf("got %q, %v", got, err)
	}
}

// installed returns where the engines lie, or ends the test.
func installed(t *testing.T) string {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		enginetest.Missing(t, errors.New("engines are missing: run `make setup`"))
	}
	return dir
}

// copyOf gives a directory whose files are those of dir, by symbolic link but for
// the dictionary, which the test damages.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	out := t.TempDir()
	for _, name := range []string{"detection.onnx", "recognition.onnx", "angle.onnx", "libonnxruntime.so.1"} {
		if err := os.Symlink(filepath.Join(dir, name), filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "dictionary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "dictionary.txt"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

func appendByte(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.WriteString(f, "x")
	return err
}

func flipBit(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[len(b)/2] ^= 1
	return os.WriteFile(path, b, 0o600)
}

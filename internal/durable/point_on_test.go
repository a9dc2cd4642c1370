//go:build crashpoints

package durable

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCrashChild is the process that TestCrashAtEachPoint kills.
func TestCrashChild(t *testing.T) {
	path := os.Getenv("BLOTTER_TEST_FILE")
	if path == "" {
		t.Skip("runs only as the child of TestCrashAtEachPoint")
	}
	if err := WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A kill at any point leaves the old bytes or the new ones.
func TestCrashAtEachPoint(t *testing.T) {
	for _, c := range []struct{ at, want string }{
		{"fsync:1:before", "old"}, {"fsync:1:after", "old"},
		{"rename:1:before", "old"}, {"rename:1:after", "new"},
		{"fsync_dir:1", "new"}, {"*:3", "old"}, {"*:6", "new"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		child := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
		child.Env = append(os.Environ(), "BLOTTER_CRASH="+c.at, "BLOTTER_TEST_FILE="+path)
		err := child.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Errorf("%s: the child was not killed: %v", c.at, err)
			continue
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.want {
			t.Errorf("%s: file holds %q, %v; want %q", c.at, got, err, c.want)
		}
	}
}

func TestParseCrashRefuses(t *testing.T) {
	for _, s := range []string{"fsync", "fsync:0", "fsync:x", ":1", "fsync:1:during", "a:1:before:b"} {
		if _, err := parseCrash(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

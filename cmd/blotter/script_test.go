package main_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"blotter/internal/examples"
	"blotter/internal/truth"
)

// TestScripts runs the sessions under testdata/script as a user would type them. Each
// starts in a directory that holds the example documents and has a data directory.
func TestScripts(t *testing.T) {
	t.Parallel()
	bin := filepath.Dir(program(t))
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	engines, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("BLOTTER_DATA", filepath.Join(e.WorkDir, ".data"))
			e.Setenv("XDG_CACHE_HOME", engines)
			if own := os.Getenv("BLOTTER_ENGINES"); own != "" {
				e.Setenv("BLOTTER_ENGINES", own)
			}
			for _, x := range all {
				if err := os.WriteFile(filepath.Join(e.WorkDir, x.Name), x.Bytes, 0o600); err != nil {
					return err
				}
			}
			return annotate(filepath.Join(e.WorkDir, "annotated"), all)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"flip": flip, "mode": mode, "status": status,
			"take": take, "absent": absent, "abandon": abandon,
		},
	})
}

// annotate puts the examples with their truth into a directory, for blotter eval.
func annotate(dir string, all []examples.Example) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, x := range all {
		body, err := json.Marshal(truth.Document{
			Schema: truth.Schema, Kind: strings.TrimSuffix(x.Name, filepath.Ext(x.Name)), Pictures: x.Pictures,
		})
		path := filepath.Join(dir, x.Name)
		if err = errors.Join(err, os.WriteFile(path, x.Bytes, 0o600), os.WriteFile(path+truth.Suffix, body, 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// flip changes one bit in the middle of a file.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flip file")
	}
	path := ts.MkAbs(args[0])
	body, err := os.ReadFile(path)
	ts.Check(err)
	body[len(body)/2] ^= 1
	ts.Check(os.WriteFile(path, body, 0o600))
}

// mode demands a file's permissions, as in ls -l.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode -rw------- file")
	}
	st, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strings.TrimPrefix(st.Mode().String(), "d"); "-"+strings.TrimPrefix(got, "-") != args[0] {
		ts.Fatalf("%s has mode %v, want %s", args[1], st.Mode(), args[0])
	}
}

// status runs a program and demands its exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status code program …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

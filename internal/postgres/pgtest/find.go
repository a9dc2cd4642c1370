package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// oldest is the first major version that blotter supports.
const oldest = 14

// ErrMissing is returned where no server new enough is installed.
var ErrMissing = fmt.Errorf("no PostgreSQL server (version %d or newer) is installed (Debian: apt-get install postgresql)", oldest)

// server is the programs of one installed version.
type server struct {
	bin   string // directory of initdb and postgres
	major int
}

// newest finds the newest server in PATH and where Debian's packages keep theirs, which is
// outside PATH.
func newest(ctx context.Context) (server, error) {
	var best server
	for _, bin := range candidates() {
		major, err := version(ctx, bin)
		if err == nil && major >= oldest && major > best.major {
			best = server{bin, major}
		}
	}
	if best.major == 0 {
		return server{}, ErrMissing
	}
	return best, nil
}

func candidates() []string {
	// The pattern is well-formed, and Glob has no other error.
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	path, err := exec.LookPath("postgres")
	if err != nil {
		return dirs
	}
	// A link in PATH stands for the directory that has the other programs.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return append(dirs, filepath.Dir(path))
}

// version asks the server itself: a directory's name need not say it.
func version(ctx context.Context, bin string) (int, error) {
	if _, err := os.Stat(filepath.Join(bin, "initdb")); err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return 0, err
	}
	return majorOf(string(out))
}

// majorOf reads "postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)", and "16beta1".
func majorOf(line string) (int, error) {
	_, rest, found := strings.Cut(line, "(PostgreSQL) ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !found || digits == 0 {
		return 0, errors.New("pgtest: the server does not tell its version")
	}
	return strconv.Atoi(rest[:digits])
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A reference may take over one document so many seconds of processor time, which do not
// depend on what else the machine does, and not longer than its patience; some never end.
const (
	processorSeconds = "20"
	patience         = 2 * time.Minute
)

// mostPixels is the largest picture of a reference that is compared: larger ones are
// withheld here.
const mostPixels = 40_000_000

// bounded is a reference that is killed when it has had its time. Its children, if any,
// have as much.
func bounded(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -t " + processorSeconds + `; exec "$@"`, "sh", name}, args...)...)
	cmd.WaitDelay = time.Second
	return cmd
}

// tool runs a reference and returns what it printed.
func tool(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := bounded(ctx, name, args...)
	out, err := cmd.Output()
	if ctx.Err() != nil || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() < 0 {
		return out, fmt.Errorf("%s did not end within %s s of processor time", name, processorSeconds)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return out, err
}

// spend runs a reference and returns the processor time that it took; an error where it
// did not end within its patience.
func spend(ctx context.Context, name string, args ...string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := bounded(ctx, name, args...)
	err := cmd.Run()
	if ctx.Err() != nil || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		return 0, fmt.Errorf("%s did not end: %w", name, errors.Join(err, ctx.Err()))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// installed reports whether a reference is there.
func installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// scratch calls f with a directory in which data lies in a file.
func scratch(data []byte, suffix string, f func(dir, file string) error) error {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "document"+suffix)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	return f(dir, file)
}

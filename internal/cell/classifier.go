package cell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// pageMemory is what a cell needs for its pages beside a classifier, resident bytes:
// what the configuration asks for at least.
const pageMemory = 640 << 20

// TryClassifier loads the configured classifier in a process of its own, runs it on as
// many tokens as it takes and looks at the memory that it needs, so that a file that
// cannot be used, or a cell that is too small, is named before a document comes. A cell
// itself can say no more than that it did not start. Nothing hostile is in reach, so the
// process is not confined. Without a classifier it does nothing. The error carries
// config.invalid.
func TryClassifier(ctx context.Context, cfg Config) error {
	if cfg.Engines.Classifier == nil {
		return nil
	}
	if err := tryClassifier(ctx, cfg.withDefaults()); err != nil {
		return reason.Because(reason.ConfigInvalid, fmt.Errorf("classifier: %w", err))
	}
	return nil
}

func tryClassifier(ctx context.Context, cfg Config) error {
	files, err := inherited(cfg, nil)
	defer closeAll(files)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, cfg.Binary, setup(cfg).Args(wire.TryOut)...)
	cmd.Env, cmd.Dir = []string{"GOTRACEBACK=none"}, "/"
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd.ExtraFiles = append([]*os.File{null}, files[wire.BinaryFD:]...)
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	if err := cmd.Run(); err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(wrong.String())))
	}
	after, err := strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64)
	if err != nil {
		return errors.New("the trial did not say what it holds")
	}
	return fits(cfg, after, cmd.ProcessState)
}

// fits compares the memory of a cell with what the trial held at its highest, and with
// what it held afterwards, to which the pages come.
func fits(cfg Config, after int64, trial *os.ProcessState) error {
	need := after + pageMemory
	if usage, ok := trial.SysUsage().(*syscall.Rusage); ok {
		need = max(need, usage.Maxrss<<10)
	}
	if need > cfg.MemoryBytes {
		return fmt.Errorf("a cell needs about %d bytes with it: raise cell.memory_bytes, which is %d", need, cfg.MemoryBytes)
	}
	return nil
}

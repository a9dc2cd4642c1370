package cell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// Warm fills the compilation cache of the WASM engines by a run without a document,
// creating its directory, and returns at once where it is full. It is this process's
// own code that runs, with nothing hostile in reach, so it is not confined; cells, which
// are, only ever read the cache. The error carries cell.engines_missing.
func Warm(ctx context.Context, cfg Config) error {
	cfg = cfg.withDefaults()
	if err := os.MkdirAll(cfg.Engines.Cache, 0o755); err != nil {
		return reason.Because(reason.CellEngines, fmt.Errorf("cell: compilation cache: %w", err))
	}
	cmd := exec.CommandContext(ctx, cfg.Binary, wire.WarmUp, cfg.Engines.Cache)
	cmd.Env = []string{"GOTRACEBACK=none"}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return reason.Because(reason.CellEngines, errors.Join(fmt.Errorf("cell: warm up: %w", err), errors.New(said.String())))
	}
	return nil
}

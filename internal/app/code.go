package app

import (
	"context"
	"errors"
	"runtime/debug"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/config"
	"blotter/receipt"
)

// CodeOf says which program this is and what it reads with, for events and `blotter
// version`.
func CodeOf(engines engine.Set) receipt.Code {
	c := receipt.Code{Revision: "unknown", Module: "blotter"}
	if info, ok := debug.ReadBuildInfo(); ok {
		c.Module = info.Main.Path + "@" + info.Main.Version
		c.Revision = revision(info)
	}
	for _, d := range engines.Digests() {
		c.Engines = append(c.Engines, receipt.Engine{Name: d.Name, SHA256: d.SHA256.String()})
	}
	return c
}

// revision is the VCS revision that the linker stamped, "+dirty" where the tree was
// changed, "unknown" where it stamped none.
func revision(info *debug.BuildInfo) string {
	out, dirty := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			out = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return out + dirty
}

func cellConfig(cfg config.Config, e engine.Set) cell.Config {
	c := cfg.Cell
	c.Engines = e
	return c
}

// OpenEngines opens what the node reads and finds with: the pinned engines, and the
// classifier that its operator brings.
func OpenEngines(cfg config.Config) (engine.Set, error) {
	engines, err := engine.Open(cfg.Engines)
	if err != nil {
		return engine.Set{}, err
	}
	return engines.With(cfg.Classifier)
}

// Warm fills the compilation cache of the engines by one run without a document, and
// tries the operator's classifier.
func Warm(ctx context.Context, cfg config.Config) error {
	engines, err := OpenEngines(cfg)
	if err != nil {
		return err
	}
	setup := cellConfig(cfg, engines)
	return errors.Join(cell.Warm(ctx, setup), cell.TryClassifier(ctx, setup))
}

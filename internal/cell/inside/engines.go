package inside

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/read"
	"blotter/internal/cell/inside/resident"
	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// loadEngines takes what the parent opened. The error carries cell.engines_missing.
func loadEngines(s wire.Setup) (engines, error) {
	e, err := loadEach(s)
	if err != nil {
		return engines{}, coded(reason.CellEngines, err)
	}
	// What loading left: the models' bytes, lists before they were sorted, code that runs once.
	debug.FreeOSMemory()
	resident.Program()
	return e, nil
}

// loadOpeners loads what opens documents and nothing that reads them.
func loadOpeners() (engines, error) {
	e, err := extract.LoadEngines(wire.Path(wire.CacheFD))
	if err != nil {
		return engines{}, coded(reason.CellEngines, err)
	}
	debug.FreeOSMemory()
	return engines{extract: e}, nil
}

func loadEach(s wire.Setup) (e engines, err error) {
	m := read.Models{Library: wire.Path(wire.LibraryFD), Threads: s.Threads}
	for _, f := range []struct {
		fd   int
		into *[]byte
	}{
		{wire.DetectionFD, &m.Detection}, {wire.RecognitionFD, &m.Recognition},
		{wire.AngleFD, &m.Angle}, {wire.DictionaryFD, &m.Dictionary},
	} {
		if *f.into, err = io.ReadAll(descriptor(f.fd)); err != nil {
			return engines{}, err
		}
	}
	if e.reader, err = read.Load(m); err != nil {
		return engines{}, err
	}
	if e.extract, err = extract.LoadEngines(wire.Path(wire.CacheFD)); err != nil {
		return engines{}, err
	}
	e.finder, e.marker = detect.New(), mark.New()
	if s.Classifier == nil {
		return e, nil
	}
	t, err := loadTagger(s)
	if err != nil {
		return engines{}, err
	}
	e.tagger = t
	return e, nil
}

// fillCache compiles what is compiled into the directory, and lets everyone read it: a
// cell under root is nobody, and what lies there is no secret.
func fillCache(dir string) error {
	e, err := extract.LoadEngines(dir)
	if err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}

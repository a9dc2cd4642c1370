// Package typecase holds the typefaces that specimens are set in: print, typewriter,
// screens and handwriting, in Latin, Cyrillic, Arabic and Devanagari letters.
//
// Guarantees: every typeface is the very file that typefaces.lock pins, by the SHA-256
// of the file and the SHA-512 of the npm package that it came in; nothing of a package
// is run. What is missing is fetched once, into the user's cache directory. All of them
// are under the SIL Open Font License or the Apache License and none is committed.
package typecase

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"blotter/internal/examples/paper"
)

//go:embed typefaces.lock
var lockFile []byte

type lock struct {
	Schema   string       `json:"schema"`
	Packages []fontSource `json:"packages"`
}

// fontSource is an npm package and what is taken out of it.
type fontSource struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Integrity string   `json:"integrity"`
	Licence   string   `json:"licence"`
	Members   []member `json:"members"`
}

type member struct {
	Typeface string `json:"typeface"`
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
}

// Case hands out typefaces by name, such as "tinos-bold". Several goroutines may use it.
type Case struct {
	dir     string
	members map[string]member
	mu      sync.Mutex
	ready   map[string]*paper.Typeface
}

// Open makes sure that every typeface is in the cache directory, fetching what is
// missing with npm; the error says what to do about it.
func Open() (*Case, error) {
	dir, err := directory()
	if err != nil {
		return nil, err
	}
	pinned, err := pins()
	if err != nil {
		return nil, err
	}
	if err := fetchMissing(dir, pinned.Packages); err != nil {
		return nil, err
	}
	c := &Case{dir: dir, members: map[string]member{}, ready: map[string]*paper.Typeface{}}
	for _, p := range pinned.Packages {
		for _, m := range p.Members {
			c.members[m.Typeface] = m
		}
	}
	return c, nil
}

// Typeface returns a typeface. A name that the lock file does not know, or a file that
// is not the pinned one, is an error.
func (c *Case) Typeface(name string) (*paper.Typeface, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.ready[name]; t != nil {
		return t, nil
	}
	m, known := c.members[name]
	if !known {
		return nil, fmt.Errorf("no typeface is called %q", name)
	}
	packed, err := os.ReadFile(m.file(c.dir))
	if err != nil {
		return nil, fmt.Errorf("read typeface %s: %w", name, err)
	}
	if !m.pinned(packed) {
		return nil, fmt.Errorf("typeface %s is not the pinned file: remove %s", name, c.dir)
	}
	outline, err := unpackWOFF(packed)
	if err != nil {
		return nil, fmt.Errorf("typeface %s: %w", name, err)
	}
	c.ready[name], err = paper.ParseTypeface(name, outline)
	return c.ready[name], err
}

func (m member) file(dir string) string { return filepath.Join(dir, m.Typeface+".woff") }

func (m member) pinned(b []byte) bool {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]) == m.SHA256
}

// directory is $BLOTTER_TYPEFACES, else a directory under the user's cache whose name
// follows the lock file.
func directory() (string, error) {
	if dir := os.Getenv("BLOTTER_TYPEFACES"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a place for typefaces: %w", err)
	}
	sum := sha256.Sum256(lockFile)
	return filepath.Join(cache, "blotter", "typefaces", hex.EncodeToString(sum[:8])), nil
}

func pins() (lock, error) {
	var l lock
	if err := json.Unmarshal(lockFile, &l); err != nil {
		return l, fmt.Errorf("read typefaces.lock: %w", err)
	}
	return l, nil
}

// Package durable does the file operations that a promise rests on: when one of them
// has returned nil, its effect survives a power cut. It knows nothing of blotter and
// stands in the lowest layer, so that every room may use it.
//
// On Linux a new file is safe once the file and the directory that names it were
// synced; a rename is safe once its directory was. Whether the disk keeps what it
// acknowledged is the operator's business (see docs/operations.md on write caches).
//
// Builds with the tag crashpoints can be killed at any of these operations; see Around.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces the file at path by one that holds data, in one step: whoever
// opens path sees the old bytes or the new ones, never a part. The temporary file
// stands beside path with a random name and is removed on failure.
func WriteFile(path string, data []byte, perm fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return fmt.Errorf("durable: make a temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(tmp.Name()))
		}
	}()
	if err := fill(tmp, data, perm); err != nil {
		return err
	}
	return Rename(tmp.Name(), path)
}

// fill writes, syncs and closes f.
func fill(f *os.File, data []byte, perm fs.FileMode) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = Sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("durable: write a temporary file: %w", err)
	}
	return nil
}

// Sync makes what was written to f durable. A new file also needs SyncDir.
func Sync(f *os.File) error {
	return Around("fsync", f.Sync)
}

// SyncDir makes the names in a directory durable: those made, renamed and removed.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("durable: open directory for syncing: %w", err)
	}
	err = Around("fsync_dir", d.Sync)
	return errors.Join(err, d.Close())
}

// Rename moves a file within one file system and makes both names durable. It replaces
// what stands at the new name.
func Rename(from, to string) error {
	if err := Around("rename", func() error { return os.Rename(from, to) }); err != nil {
		return fmt.Errorf("durable: rename: %w", err)
	}
	if filepath.Dir(from) != filepath.Dir(to) {
		if err := SyncDir(filepath.Dir(from)); err != nil {
			return err
		}
	}
	return SyncDir(filepath.Dir(to))
}

// Remove deletes a file or an empty directory and makes its absence durable. That it
// was not there is no error.
func Remove(path string) error {
	if err := Around("remove", func() error { return removeIfThere(path) }); err != nil {
		return fmt.Errorf("durable: remove: %w", err)
	}
	return SyncDir(filepath.Dir(path))
}

// MkdirAll makes a directory and its missing parents with the given mode and makes
// their names durable. Directories that were there keep their mode.
func MkdirAll(dir string, perm fs.FileMode) error {
	dir = filepath.Clean(dir)
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MkdirAll(parent, perm); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("durable: make directory: %w", err)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("durable: make directory: something else stands there: %w", fs.ErrExist)
	}
	return SyncDir(parent)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

package sequencer

import (
	"crypto"
	"io/fs"
)

// WrapWrites lets a fault test stand around every file write, and returns how to undo it.
func WrapWrites(around func(write func() error) error) (restore func()) {
	before := writeFile
	writeFile = func(path string, data []byte, perm fs.FileMode) error {
		return around(func() error { return before(path, data, perm) })
	}
	return func() { writeFile = before }
}

// Signer is the key, for tests that play a thief.
func (s *Sequencer) Signer() crypto.Signer { return s.key }

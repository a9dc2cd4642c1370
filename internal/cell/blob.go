package cell

import (
	"fmt"
	"io"

	"blotter/internal/cell/wire"
)

// blob is the place where one PNG goes, behind the structural check.
type blob struct {
	to    io.WriteCloser
	check pngCheck
}

func newBlob(w io.WriteCloser, width, height int) *blob {
	return &blob{to: w, check: pngCheck{width: width, height: height, left: wire.MaxPNG(width, height)}}
}

// Write passes on only what the check has seen and accepted.
func (b *blob) Write(p []byte) (int, error) {
	if err := b.check.next(p); err != nil {
		return 0, err
	}
	n, err := b.to.Write(p)
	if err != nil {
		return n, fmt.Errorf("cell: store a PNG: %w", err)
	}
	return n, nil
}

// finish closes a whole PNG. A nil blob has nothing to finish.
func (b *blob) finish() error {
	if b == nil {
		return nil
	}
	if !b.check.whole() {
		return wire.Violation("a PNG that ends early")
	}
	to := b.to
	b.to = nil
	if err := to.Close(); err != nil {
		return fmt.Errorf("cell: store a PNG: %w", err)
	}
	return nil
}

// abandon closes a PNG that will not be used.
func (b *blob) abandon() error {
	if b == nil || b.to == nil {
		return nil
	}
	return b.to.Close()
}

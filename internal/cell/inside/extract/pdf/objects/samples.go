package objects

import (
	"bytes"
	"io"

	"blotter/internal/cell/inside/extract/raster/fax"
)

// RowBytes is how many bytes a row of samples has.
func (p *Pixels) RowBytes() int { return (p.Width*p.Bits*p.Channels + 7) / 8 }

// Rows unpacks the stream's bytes. Each call of next fills a row of RowBytes, packed from
// the top bit of its first byte on. An error says that the stream is damaged or over:
// nothing is made up.
func (p *Pixels) Rows(raw []byte) (next func(row []byte) error, err error) {
	var in io.Reader = bytes.NewReader(raw)
	for _, s := range p.stages {
		if in = Undo(s.name, in, s.early); in == nil {
			return nil, io.ErrUnexpectedEOF
		}
		if s.width > 0 {
			in = &rows{r: in, step: s.step, line: make([]byte, s.width+1), above: make([]byte, s.width)}
		}
	}
	if p.fax == nil {
		return func(row []byte) error { _, err := io.ReadFull(in, row); return err }, nil
	}
	if len(p.stages) > 0 { // weighed when the file was read
		if raw, err = io.ReadAll(in); err != nil {
			return nil, err
		}
	}
	codes := fax.NewReader(raw, p.fax.coding, p.Width, false)
	return func(row []byte) error {
		err := codes.Row(row)
		for i := range row {
			row[i] ^= p.fax.light
		}
		return err
	}, nil
}

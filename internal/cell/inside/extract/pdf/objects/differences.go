package objects

import "io"

// differences undoes TIFF's predictor: each sample is told by how it differs from the same
// sample of the pixel before. bits is 1, 2, 4 or 8.
type differences struct {
	r             io.Reader
	bits, colours int
	line          []byte // a row
	rest          []byte
}

func (d *differences) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		n, err := io.ReadFull(d.r, d.line)
		if n == 0 {
			return 0, err
		}
		d.undo(d.line[:n])
		d.rest = d.line[:n]
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func (d *differences) undo(row []byte) {
	each := 8 / d.bits
	mask := byte(1<<d.bits - 1) //nolint:gosec // at most 8 bits
	at := func(i int) (k, shift int) { return i / each, 8 - d.bits*(1+i%each) }
	for i := d.colours; i < len(row)*each; i++ {
		k, shift := at(i)
		before, up := at(i - d.colours)
		v := (row[k]>>shift + row[before]>>up) & mask
		row[k] = row[k]&^(mask<<shift) | v<<shift
	}
}

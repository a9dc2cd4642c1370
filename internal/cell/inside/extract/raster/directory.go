package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Tags of TIFF 6.0 and EXIF 2.3 that are looked at.
const (
	tagSubfile     = 254
	tagWidth       = 256
	tagHeight      = 257
	tagBits        = 258
	tagCompression = 259
	tagPhotometric = 262
	tagFillOrder   = 266
	tagStrips      = 273
	tagOrientation = 274
	tagSamples     = 277
	tagRowsPer     = 278
	tagStripCounts = 279
	tagXResolution = 282
	tagPlanar      = 284
	tagT4Options   = 292
	tagResUnit     = 296
	tagPredictor   = 317
	tagColorMap    = 320
	tagTileWidth   = 322
	tagTileHeight  = 323
	tagTiles       = 324
	tagTileCounts  = 325
	tagExtra       = 338
	tagFormat      = 339
	tagJPEGTables  = 347
)

// directory is one image file directory, "IFD": tags whose values lie in the file.
type directory struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	tags  map[uint16]entry
	next  int64 // offset of the next directory, 0 for none
}

// entry is where the values of a tag lie.
type entry struct {
	kind  uint16 // the field type of TIFF 6.0, 1–12
	count int64
	at    int64
}

// kindSizes are the bytes of a value by field type.
var kindSizes = [...]int64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8}

var errBigTIFF = errors.New("BigTIFF")

// tiffHead reads the eight bytes at the start and returns the byte order and the
// first directory's offset.
func tiffHead(r io.ReaderAt) (binary.ByteOrder, int64, error) {
	var b [8]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return nil, 0, io.ErrUnexpectedEOF
	}
	switch string(b[:4]) {
	case "II*\x00":
		return binary.LittleEndian, int64(binary.LittleEndian.Uint32(b[4:])), nil
	case "MM\x00*":
		return binary.BigEndian, int64(binary.BigEndian.Uint32(b[4:])), nil
	case "II+\x00", "MM\x00+":
		return nil, 0, errBigTIFF
	}
	return nil, 0, errors.New("no TIFF header")
}

// readDirectory reads the directory at offset at. It reads no values, and no more
// than the 768 KiB that a directory can have.
func readDirectory(r io.ReaderAt, size int64, order binary.ByteOrder, at int64) (*directory, error) {
	var n [2]byte
	if at < 8 || at+2 > size {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := r.ReadAt(n[:], at); err != nil {
		return nil, err
	}
	count := int(order.Uint16(n[:]))
	b := make([]byte, 12*count+4)
	if got, err := r.ReadAt(b, at+2); got < 12*count {
		return nil, fmt.Errorf("directory of %d entries: %w", count, errors.Join(io.ErrUnexpectedEOF, err))
	}
	d := &directory{r: r, size: size, order: order, tags: make(map[uint16]entry, count)}
	for i := range count {
		d.add(b[12*i:], at+2+int64(12*i))
	}
	d.next = int64(order.Uint32(b[12*count:])) // zero where the file ends before it
	return d, nil
}

// add takes one entry of 12 bytes that stands at offset at. Of a tag that comes twice
// the first counts; a type that TIFF 6.0 does not know is left out, as it demands.
func (d *directory) add(b []byte, at int64) {
	tag, kind, count := d.order.Uint16(b), d.order.Uint16(b[2:]), int64(d.order.Uint32(b[4:]))
	if _, twice := d.tags[tag]; twice || kind == 0 || int(kind) >= len(kindSizes) {
		return
	}
	e := entry{kind: kind, count: count, at: at + 8}
	if count*kindSizes[kind] > 4 {
		e.at = int64(d.order.Uint32(b[8:]))
	}
	d.tags[tag] = e
}

func (d *directory) has(tag uint16) bool { _, ok := d.tags[tag]; return ok }

// number returns the first value of a tag, or otherwise where it is missing or no
// unsigned number.
func (d *directory) number(tag uint16, otherwise int) int {
	v, err := d.numbers(tag, 1)
	if err != nil || len(v) == 0 {
		return otherwise
	}
	return int(v[0])
}

// numbers returns up to limit values of a tag of unsigned numbers; nil where it is
// missing.
func (d *directory) numbers(tag uint16, limit int64) ([]uint32, error) {
	e, ok := d.tags[tag]
	if !ok {
		return nil, nil
	}
	if e.kind != 1 && e.kind != 3 && e.kind != 4 {
		return nil, fmt.Errorf("tag %d is no unsigned number", tag)
	}
	b, err := d.bytes(e, limit)
	if err != nil {
		return nil, err
	}
	step := int(kindSizes[e.kind])
	out := make([]uint32, len(b)/step)
	for i := range out {
		switch v := b[i*step:]; e.kind {
		case 1:
			out[i] = uint32(v[0])
		case 3:
			out[i] = uint32(d.order.Uint16(v))
		default:
			out[i] = d.order.Uint32(v)
		}
	}
	return out, nil
}

// bytes reads up to limit values of an entry. It checks that they lie in the file
// before it allocates.
func (d *directory) bytes(e entry, limit int64) ([]byte, error) {
	n := min(e.count, limit) * kindSizes[e.kind]
	if e.at < 0 || e.at+n > d.size {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	if _, err := d.r.ReadAt(b, e.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// dpi is the horizontal resolution in dots per inch, 0 where none is given.
func (d *directory) dpi() int {
	e := d.tags[tagXResolution]
	if e.kind != 5 || e.count < 1 {
		return 0
	}
	b, err := d.bytes(e, 1)
	if err != nil {
		return 0
	}
	v := float64(d.order.Uint32(b)) / float64(d.order.Uint32(b[4:]))
	switch d.number(tagResUnit, 2) {
	case 2:
		return perInch(v)
	case 3:
		return perInch(v * 2.54)
	}
	return 0
}

// readExif finds orientation and resolution in an EXIF block, which is a TIFF without
// pixels. It returns zeros where the block cannot be read.
func readExif(block []byte) (orientation, int) {
	r := strings.NewReader(string(block))
	order, at, err := tiffHead(r)
	if err != nil {
		return 0, 0
	}
	d, err := readDirectory(r, int64(len(block)), order, at)
	if err != nil {
		return 0, 0
	}
	return d.orientation(), d.dpi()
}

func (d *directory) orientation() orientation {
	if o := d.number(tagOrientation, 1); o >= 1 && o <= 8 {
		return orientation(o)
	}
	return 1
}

package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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
	tagSubIFDs     = 330
	tagInkSet      = 332
	tagExtra       = 338
	tagFormat      = 339
	tagJPEGTables  = 347
	tagJPEGStream  = 513
	tagJPEGLength  = 514
	tagJPEGRestart = 515
	tagJPEGQ       = 519
	tagJPEGDC      = 520
	tagJPEGAC      = 521
	tagYCbCrFactor = 529
	tagYCbCrSub    = 530
	tagBlackWhite  = 532
	tagPhotoshop   = 34377
)

// directory is one image file directory, "IFD": tags whose values lie in the file.
type directory struct {
	tiffFile
	tags map[uint16]entry
	next int64 // offset of the next directory, 0 for none
}

// tiffFile is what every directory of a file shares.
type tiffFile struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF: offsets and counts of eight bytes
}

// entry is where the values of a tag lie.
type entry struct {
	kind  uint16 // the field type of TIFF 6.0, 1–12, and of BigTIFF, 13–18
	count int64
	at    int64
}

// kindSizes are the bytes of a value by field type.
var kindSizes = [...]int64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}

// openTIFF reads the head of a file, 8 or 16 bytes, and returns the first directory's
// offset with it.
func openTIFF(r io.ReaderAt, size int64) (tiffFile, int64, error) {
	f := tiffFile{r: r, size: size}
	var b [16]byte
	if _, err := r.ReadAt(b[:8], 0); err != nil {
		return f, 0, io.ErrUnexpectedEOF
	}
	switch string(b[:4]) {
	case "II*\x00":
		return f.ordered(binary.LittleEndian), int64(binary.LittleEndian.Uint32(b[4:])), nil
	case "MM\x00*":
		return f.ordered(binary.BigEndian), int64(binary.BigEndian.Uint32(b[4:])), nil
	case "II+\x00":
		f = f.ordered(binary.LittleEndian)
	case "MM\x00+":
		f = f.ordered(binary.BigEndian)
	default:
		return f, 0, errors.New("no TIFF header")
	}
	f.big = true
	if f.order.Uint16(b[4:]) != 8 || f.order.Uint16(b[6:]) != 0 {
		return f, 0, errors.New("BigTIFF with offsets of another size")
	}
	if _, err := r.ReadAt(b[8:], 8); err != nil {
		return f, 0, io.ErrUnexpectedEOF
	}
	return f, f.offset(b[8:]), nil
}

func (f tiffFile) ordered(o binary.ByteOrder) tiffFile {
	f.order = o
	return f
}

// offset reads an offset or count, which are as wide as the file has them. What no file
// reaches is -1.
func (f tiffFile) offset(b []byte) int64 {
	if !f.big {
		return int64(f.order.Uint32(b))
	}
	if v := f.order.Uint64(b); v <= math.MaxInt64 {
		return int64(v)
	}
	return -1
}

// directoryEntries bounds the entries of a BigTIFF directory, whose count has eight
// bytes; the elder format cannot have more.
const directoryEntries = 1 << 16

// directory reads the one at offset at: its entries, 1.3 MiB at most, and no values.
func (f tiffFile) directory(at int64) (*directory, error) {
	head, width, link := int64(2), 12, 4
	if f.big {
		head, width, link = 8, 20, 8
	}
	if at < 8 || at > f.size-head {
		return nil, io.ErrUnexpectedEOF
	}
	var n [8]byte
	if _, err := f.r.ReadAt(n[:head], at); err != nil {
		return nil, err
	}
	count := int64(f.order.Uint16(n[:]))
	if f.big {
		count = f.offset(n[:])
	}
	if count < 0 || count >= directoryEntries {
		return nil, fmt.Errorf("directory of %d entries", count)
	}
	b := make([]byte, int(count)*width+link)
	if got, err := f.r.ReadAt(b, at+head); got < len(b)-link {
		return nil, fmt.Errorf("directory of %d entries: %w", count, errors.Join(io.ErrUnexpectedEOF, err))
	}
	d := &directory{tiffFile: f, tags: make(map[uint16]entry, count)}
	for i := range int(count) {
		d.add(b[width*i:], at+head+int64(width*i))
	}
	d.next = f.offset(b[len(b)-link:]) // zero where the file ends before it
	return d, nil
}

// add takes one entry that stands at offset at. Of a tag that comes twice the first
// counts; a type that the format does not know is left out, as it demands.
func (d *directory) add(b []byte, at int64) {
	tag, kind, count, room := d.order.Uint16(b), d.order.Uint16(b[2:]), d.offset(b[4:]), int64(4)
	if d.big {
		room = 8
	}
	if _, twice := d.tags[tag]; twice || int(kind) >= len(kindSizes) || kindSizes[kind] == 0 || count < 0 {
		return
	}
	e := entry{kind: kind, count: count, at: at + 4 + room}
	if count > room/kindSizes[kind] {
		e.at = d.offset(b[4+room:])
	}
	d.tags[tag] = e
}

func (d *directory) has(tag uint16) bool { _, ok := d.tags[tag]; return ok }

// number returns the first value of a tag, or otherwise where it is missing or no
// unsigned number that an int holds.
func (d *directory) number(tag uint16, otherwise int) int {
	v, err := d.numbers(tag, 1)
	if err != nil || len(v) == 0 || v[0] > math.MaxInt {
		return otherwise
	}
	return int(v[0])
}

// numbers returns up to limit values of a tag of unsigned numbers; nil where it is
// missing.
func (d *directory) numbers(tag uint16, limit int64) ([]uint64, error) {
	e, ok := d.tags[tag]
	if !ok {
		return nil, nil
	}
	b, err := d.bytes(e, limit)
	if err != nil {
		return nil, err
	}
	step := int(kindSizes[e.kind])
	out := make([]uint64, len(b)/step)
	for i := range out {
		switch v := b[i*step:]; e.kind {
		case 1, 7:
			out[i] = uint64(v[0])
		case 3:
			out[i] = uint64(d.order.Uint16(v))
		case 4, 13:
			out[i] = uint64(d.order.Uint32(v))
		case 16, 18:
			out[i] = d.order.Uint64(v)
		default:
			return nil, fmt.Errorf("tag %d is no unsigned number", tag)
		}
	}
	return out, nil
}

// ratios returns the first n values of a tag of unsigned fractions, or otherwise.
func (d *directory) ratios(tag uint16, otherwise ...float64) []float64 {
	e := d.tags[tag]
	b, err := d.bytes(e, int64(len(otherwise)))
	if err != nil || e.kind != 5 || len(b) < 8*len(otherwise) {
		return otherwise
	}
	out := make([]float64, len(otherwise))
	for i := range out {
		out[i] = float64(d.order.Uint32(b[8*i:])) / float64(d.order.Uint32(b[8*i+4:]))
		if math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			return otherwise
		}
	}
	return out
}

// bytes reads up to limit values of an entry. It checks that they lie in the file
// before it allocates.
func (d *directory) bytes(e entry, limit int64) ([]byte, error) {
	n := min(e.count, limit) * kindSizes[e.kind]
	if e.at < 0 || n < 0 || e.at > d.size-n {
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
	v := d.ratios(tagXResolution, 0)[0]
	switch d.number(tagResUnit, 2) {
	case 2:
		return perInch(v)
	case 3:
		return perInch(v * 2.54)
	}
	return 0
}

func (d *directory) orientation() orientation {
	if o := d.number(tagOrientation, 1); o >= 1 && o <= 8 {
		return orientation(o)
	}
	return 1
}

// Package bmff reads files of the ISO base media family that hold pictures (HEIF, ISO
// 23008-12): their items with properties and references, and the samples of picture
// tracks. It decodes no pixel; it allocates what its own bounds allow, whatever the file
// says; and it writes files of a single item, so that a decoder sees one picture at a time
// and nothing else of the file.
package bmff

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
)

// Bounds on what is read. A photograph of 200 megapixels has some hundred items and 50 KiB
// of description.
const (
	boxesRead  = 1 << 12  // at the top of the file
	metaBytes  = 4 << 20  // of the description of items
	moovBytes  = 16 << 20 // of the description of tracks
	itemsRead  = 1 << 14
	boxesDeep  = 8       // boxes of tables within each other
	extentsMax = 1 << 16 // of all items
	samplesMax = 1 << 20 // of all tracks
	itemBytes  = 1 << 30 // of one item's data
)

// File is what a file says of itself.
type File struct {
	Major   string // brand
	Brands  []string
	Primary uint32
	Items   []*Item // in the file's order
	Tracks  []Track // of pictures
	More    bool    // data beside the pictures: metadata, unknown boxes

	r       io.ReaderAt
	size    int64
	idat    []byte
	byID    map[uint32]*Item
	samples uint32 // of all tracks
}

// Item is one picture, part of one, or metadata.
type Item struct {
	ID     uint32
	Type   string // hvc1, av01, grid, Exif, …
	Hidden bool
	Props  []Prop
	Tiles  []uint32 // what it is derived from, in order
	Shows  []uint32 // pictures of which this is a thumbnail
	AuxOf  []uint32 // pictures for which this is an auxiliary
	Premul bool     // its colours are multiplied by its alpha

	extents []extent
	method  uint64
	known   bool // it was listed
}

// Prop is a property: the kind and contents of its box.
type Prop struct {
	Kind string
	Data []byte
}

type extent struct{ at, length uint64 }

// Read reads the description of a file. The error is io.ErrUnexpectedEOF where it is cut
// off before or in it.
func Read(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size, byID: map[uint32]*Item{}}
	at := int64(0)
	for range boxesRead {
		if at >= size {
			break
		}
		b, err := boxAt(r, at, size)
		if err != nil {
			return nil, err
		}
		if err := f.top(b); err != nil {
			return nil, err
		}
		at = b.end
	}
	f.More = f.More || at < size
	return f, nil
}

func (f *File) top(b box) error {
	switch b.kind {
	case "ftyp":
		return f.read(b, 1<<16, func(body []byte) error {
			v := fields{b: body}
			f.Major = string(v.take(4))
			v.take(4)
			for len(v.b) >= 4 {
				f.Brands = append(f.Brands, string(v.take(4)))
			}
			return nil
		})
	case "meta":
		return f.read(b, metaBytes, f.meta)
	case "moov":
		return f.read(b, moovBytes, f.movie)
	case "mdat", "free", "skip", "wide":
	default:
		f.More = true
	}
	return nil
}

// read gives a whole box to do.
func (f *File) read(b box, limit int64, do func([]byte) error) error {
	if b.end > f.size {
		return io.ErrUnexpectedEOF
	}
	if b.end-b.at > limit {
		return fmt.Errorf("bmff: %s of %d bytes", b.kind, b.end-b.at)
	}
	body := make([]byte, b.end-b.at)
	if _, err := f.r.ReadAt(body, b.at); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return do(body)
}

// Item finds an item by its number, nil where there is none.
func (f *File) Item(id uint32) *Item {
	if it := f.byID[id]; it != nil && it.known {
		return it
	}
	return nil
}

// Prop is the contents of the first property of a kind, nil where there is none.
func (it *Item) Prop(kind string) []byte {
	for _, p := range it.Props {
		if p.Kind == kind {
			return p.Data
		}
	}
	return nil
}

// Size is what the property ispe says, in pixels; 0×0 where it is missing.
func (it *Item) Size() (w, h int) {
	v := fields{b: it.Prop("ispe")}
	v.full()
	w, h = int(v.number(4)), int(v.number(4))
	if v.short {
		return 0, 0
	}
	return w, h
}

// Alpha reports that an auxiliary item holds opacity.
func (it *Item) Alpha() bool {
	v := fields{b: it.Prop("auxC")}
	v.full()
	switch v.text() {
	case "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1":
		return true
	}
	return false
}

// Place is where an item's data begins in the file, where it lies there in one piece.
func (f *File) Place(it *Item) (at, end int64, ok bool) {
	if it.method != 0 || len(it.extents) != 1 || f.within(it) != nil {
		return 0, 0, false
	}
	e := it.extents[0]
	return int64(e.at), int64(e.at + e.length), true
}

// within checks that an item's data lies where it is said to.
func (f *File) within(it *Item) error {
	size := uint64(f.size)
	if it.method == 1 {
		size = uint64(len(f.idat))
	}
	total := uint64(0)
	for _, e := range it.extents {
		if e.at > size || e.length > size-e.at {
			return io.ErrUnexpectedEOF
		}
		if total += e.length; total > min(size, itemBytes) { // of pieces that overlap there is no end
			return errors.New("bmff: item too large")
		}
	}
	switch {
	case it.method > 1:
		return errors.New("bmff: item whose data lies in another item")
	case total == 0:
		return errors.New("bmff: item without data")
	}
	return nil
}

// Check reports whether an item's data lies in the file, io.ErrUnexpectedEOF where it is
// cut off.
func (f *File) Check(it *Item) error { return f.within(it) }

// Data reads an item's data.
func (f *File) Data(it *Item) ([]byte, error) {
	if err := f.within(it); err != nil {
		return nil, err
	}
	var out []byte
	for _, e := range it.extents {
		if it.method == 1 {
			out = append(out, f.idat[e.at:e.at+e.length]...)
			continue
		}
		b := make([]byte, e.length)
		if _, err := f.r.ReadAt(b, int64(e.at)); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		out = append(out, b...)
	}
	return out, nil
}

// Grid reads the layout of an item of type grid, ISO 23008-12 6.6.2.3.
func (f *File) Grid(it *Item) (rows, columns, w, h int, err error) {
	data, err := f.Data(it)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	v := fields{b: data}
	v.number(1)
	width := 2
	if v.number(1)&1 == 1 {
		width = 4
	}
	rows, columns = int(v.number(1))+1, int(v.number(1))+1
	w, h = int(v.number(width)), int(v.number(width))
	if v.short {
		err = io.ErrUnexpectedEOF
	}
	return rows, columns, w, h, err
}

// Overlay reads how pictures are laid over each other (ISO 23008-12, 6.6.2.2): the colour
// of the canvas, 16 bits a sample and opacity last, its size, and where each lies.
func (f *File) Overlay(it *Item) (fill [4]uint16, w, h int, at []image.Point, err error) {
	data, err := f.Data(it)
	if err != nil {
		return fill, 0, 0, nil, err
	}
	v := fields{b: data}
	v.number(1)
	width := 2
	if v.number(1)&1 == 1 {
		width = 4
	}
	for i := range fill {
		fill[i] = uint16(v.number(2))
	}
	w, h = int(v.number(width)), int(v.number(width))
	signed := func() int {
		n := v.number(width)
		if width == 2 {
			return int(int16(n))
		}
		return int(int32(n))
	}
	for range it.Tiles {
		x := signed()
		at = append(at, image.Pt(x, signed()))
	}
	if v.short {
		err = io.ErrUnexpectedEOF
	}
	return fill, w, h, at, err
}

// Whole returns the bytes of the file, its major brand replaced.
func (f *File) Whole(brand string) ([]byte, error) {
	if f.size > itemBytes {
		return nil, errors.New("bmff: file too large")
	}
	b := make([]byte, f.size)
	if _, err := f.r.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(b) >= 12 && bytes.Equal(b[4:8], []byte("ftyp")) {
		copy(b[8:12], brand)
	}
	return b, nil
}

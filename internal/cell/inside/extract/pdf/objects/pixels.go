package objects

import (
	"io"
	"strconv"

	"blotter/internal/cell/inside/extract/raster/fax"
)

// Pixels tells how an image holds its samples, where that is simple: gray, red, green and
// blue of eight bits, or a palette of either, opaque, or a stencil, behind filters that lose nothing.
// Such an image can be had without PDFium, which unpacks it to more bytes a pixel than it
// has bits and more slowly.
type Pixels struct {
	Width, Height int
	Bits          int    // of a sample
	Channels      int    // 1, or 3 without a palette
	Palette       []byte // red, green and blue of each index; nil for none
	Negative      bool   // gray is turned round
	Stencil       bool   // what is dark is painted, the rest let through
	Filters       []string

	stages []stage
	fax    *facsimile // what the last filter is, if it is one
}

// stage is a filter with its parameters.
type stage struct {
	name        Name
	early       bool
	step, width int // of PNG's predictors; 0 for none
}

// facsimile is CCITTFaxDecode with its parameters.
type facsimile struct {
	coding fax.Coding
	light  byte // eight samples without ink
}

// Pixels describes an image; nil for one that is not as simple, or whose dictionary leaves
// room for opinions.
func (f *File) Pixels(im Image) *Pixels {
	o := &f.objects[im.object]
	d := o.dict()
	p := &Pixels{Width: f.integer(d, o.at, "Width", "W"), Height: f.integer(d, o.at, "Height", "H"),
		Bits: f.integer(d, o.at, "BitsPerComponent", "BPC")}
	p.Stencil = im.Stencil
	if !im.Plain && !im.Stencil || im.soft || p.Width <= 0 || p.Height <= 0 || !f.colours(o, p) || !f.ranges(o, p) || !f.stages(o, p) {
		return nil
	}
	return p
}

// colours reads the colour space.
func (f *File) colours(o *Object, p *Pixels) bool {
	p.Channels = 1
	if p.Stencil {
		return p.Bits == 1
	}
	whole := p.Bits == 1 || p.Bits == 2 || p.Bits == 4 || p.Bits == 8
	switch v := f.get(o.dict(), o.at, "ColorSpace", "CS").(type) {
	case Name:
		if v == "DeviceRGB" || v == "RGB" {
			p.Channels = 3
			return p.Bits == 8
		}
		return whole && (v == "DeviceGray" || v == "G")
	case Array:
		if len(v) > 0 && v[0] == Name("CalGray") {
			return p.Bits == 1 // the curve of its grays moves neither black nor white
		}
		if len(v) != 4 || v[0] != Name("Indexed") && v[0] != Name("I") {
			return false
		}
		p.Palette = f.palette(o, v)
		return whole && p.Palette != nil
	}
	return false
}

// palette reads the colours of an indexed space; nil where they are no plain gray or RGB,
// or not all there.
func (f *File) palette(o *Object, space Array) []byte {
	n := 0
	switch f.resolve(space[1], o.at) {
	case Name("DeviceRGB"), Name("RGB"):
		n = 3
	case Name("DeviceGray"), Name("G"):
		n = 1
	}
	number, _ := f.resolve(space[2], o.at).(Number)
	last, ok := whole(string(number))
	if n == 0 || !ok || last > 255 || f.lock != nil { // what is locked is PDFium's to unlock
		return nil
	}
	table := make([]byte, n*(last+1))
	switch v := f.resolve(space[3], o.at).(type) {
	case String:
		if copy(table, v) < len(table) {
			return nil
		}
	case Dict:
		r, _ := space[3].(Ref)
		i := f.find(r, o.at)
		if i < 0 || !f.objects[i].stream {
			return nil
		}
		names, _ := f.filters(&f.objects[i])
		in, ok := f.reader(&f.objects[i], len(names))
		if !ok {
			return nil
		}
		if _, err := io.ReadFull(in, table); err != nil {
			return nil
		}
	default:
		return nil
	}
	if n == 3 {
		return table
	}
	out := make([]byte, 0, 3*len(table))
	for _, v := range table {
		out = append(out, v, v, v)
	}
	return out
}

// ranges reads the Decode array: none, the one that changes nothing, or the negative of one bit.
func (f *File) ranges(o *Object, p *Pixels) bool {
	v := f.get(o.dict(), o.at, "Decode", "D")
	if v == nil {
		return true
	}
	list, ok := v.(Array)
	if !ok || len(list) != 2*p.Channels {
		return false
	}
	top := 1.0
	if p.Palette != nil {
		top = float64(int(1)<<p.Bits - 1)
	}
	var ends [6]float64
	for i, e := range list {
		n, _ := f.resolve(e, o.at).(Number)
		var err error
		if ends[i], err = strconv.ParseFloat(string(n), 64); err != nil {
			return false
		}
	}
	if p.Bits == 1 && p.Palette == nil && ends[0] == 1 && ends[1] == 0 {
		p.Negative = true
		return true
	}
	for i := range list {
		if ends[i] != float64(i%2)*top {
			return false
		}
	}
	return true
}

// lossless are the filters that Undo knows.
var lossless = map[Name]bool{"FlateDecode": true, "Fl": true, "LZWDecode": true, "LZW": true, "RunLengthDecode": true, "RL": true,
	"ASCII85Decode": true, "A85": true, "ASCIIHexDecode": true, "AHx": true}

// stages reads the filters.
func (f *File) stages(o *Object, p *Pixels) bool {
	names, parms := f.filters(o)
	for i, name := range names {
		p.Filters = append(p.Filters, string(name))
		if name == "CCITTFaxDecode" || name == "CCF" {
			return i == len(names)-1 && f.facsimile(o, parms[i], p)
		}
		if !lossless[name] {
			return false
		}
		s := stage{name: name, early: true}
		if v, ok := f.get(parms[i], o.at, "EarlyChange").(Number); ok && v == "0" {
			s.early = false
		}
		switch kind := f.integer(parms[i], o.at, "Predictor"); {
		case kind >= 10 && i == len(names)-1 && f.predicts(o, parms[i], p):
			s.step, s.width = (p.Bits*p.Channels+7)/8, p.RowBytes()
		case kind > 1:
			return false
		}
		p.stages = append(p.stages, s)
	}
	return true
}

// predicts reports that a predictor's parameters are those of the image.
func (f *File) predicts(o *Object, parms Dict, p *Pixels) bool {
	or := func(v, usual int) int {
		if v == 0 {
			return usual
		}
		return v
	}
	return or(f.integer(parms, o.at, "Colors"), 1) == p.Channels && or(f.integer(parms, o.at, "BitsPerComponent"), 8) == p.Bits &&
		or(f.integer(parms, o.at, "Columns"), 1) == p.Width
}

// facsimile reads the parameters of fax codes.
func (f *File) facsimile(o *Object, parms Dict, p *Pixels) bool {
	rows := f.integer(parms, o.at, "Rows")
	if p.Bits != 1 || f.integer(parms, o.at, "Columns") != p.Width || rows != 0 && rows != p.Height ||
		f.get(parms, o.at, "EncodedByteAlign") == word("true") {
		return false
	}
	p.fax = &facsimile{coding: fax.Group3, light: 0xff}
	switch k, _ := f.get(parms, o.at, "K").(Number); {
	case k != "" && k[0] == '-':
		p.fax.coding = fax.Group4
	case k != "" && k != "0":
		p.fax.coding = fax.Group3Two
	}
	if f.get(parms, o.at, "BlackIs1") == word("true") {
		p.fax.light = 0
	}
	return true
}

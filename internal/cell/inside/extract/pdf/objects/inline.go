package objects

import (
	"io"
	"math"
)

// inlined is what the dictionary of an inline image says.
type inlined struct {
	w, h, bits float64
	space      string
	mask       bool
	packed     bool // under a filter
}

// pixels is how many the image has, bytes what it takes unpacked.
func (i inlined) pixels() float64 { return math.Max(i.w, 0) * math.Max(i.h, 0) }

// bytes is how many bytes an image without filters has; false where its colour space
// does not tell.
func (i inlined) bytes() (int64, bool) {
	inks, known := map[string]float64{"G": 1, "DeviceGray": 1, "CalGray": 1, "I": 1, "Indexed": 1, "RGB": 3, "DeviceRGB": 3, "CMYK": 4, "DeviceCMYK": 4}[i.space]
	bits := i.bits
	if i.mask {
		inks, known, bits = 1, true, 1
	}
	n := math.Ceil(i.w*inks*bits/8) * i.h
	return int64(n), known && !i.packed && n >= 0 && n < 1<<40
}

// inline reads an inline image, whose BI was read, to its end, and returns how many bytes
// its data has.
func (o *operators) inline() (inlined, int64) {
	var im inlined
	if !o.entries(&im) {
		return im, 0
	}
	_, _ = o.r.ReadByte() // the blank behind ID
	var n int64
	if exact, ok := im.bytes(); ok {
		got, _ := io.CopyN(io.Discard, o.r, exact) // what is missing is missing
		n = got
	}
	return im, n + o.toEnd()
}

// entries reads the dictionary of an inline image up to its ID; false where there is none.
func (o *operators) entries(im *inlined) bool {
	key, deep := "", 0
	value := func(n float64, w string) {
		if deep == 0 || key == "CS" && im.space == "" {
			im.set(key, n, w)
		}
		if deep == 0 {
			key = ""
		}
	}
	for {
		c, err := o.r.ReadByte()
		switch {
		case err != nil:
			return false
		case isSpace(c):
		case c == '[':
			if deep++; key == "F" || key == "Filter" {
				im.packed = true
			}
		case c == ']':
			if deep--; deep <= 0 {
				deep, key = 0, ""
			}
		case c == '/':
			if w := string(o.word()); deep == 0 && key == "" {
				key = w
			} else {
				value(0, w)
			}
		case c == '(':
			o.literal()
		case isDelimiter(c):
		default:
			_ = o.r.UnreadByte() // it was read
			w := o.word()
			switch {
			case string(w) == "ID":
				return true
			case string(w) == "EI":
				return false
			}
			value(decimal(w), string(w))
		}
	}
}

func (i *inlined) set(key string, n float64, w string) {
	switch key {
	case "W", "Width":
		i.w = n
	case "H", "Height":
		i.h = n
	case "BPC", "BitsPerComponent":
		i.bits = n
	case "IM", "ImageMask":
		i.mask = w == "true"
	case "CS", "ColorSpace":
		i.space = w
	case "F", "Filter":
		i.packed = true
	}
}

// toEnd passes over the data of an inline image up to its EI, which stands between blanks
// with text behind it, and returns how many bytes that took.
func (o *operators) toEnd() int64 {
	var n int64
	for before := byte(' '); ; n++ {
		c, err := o.r.ReadByte()
		if err != nil {
			return n
		}
		if c == 'E' && isSpace(before) {
			if next, _ := o.r.Peek(10); len(next) > 0 && next[0] == 'I' && (len(next) == 1 || isSpace(next[1]) && legible(next[2:])) {
				_, _ = o.r.ReadByte() // it was looked at
				return n
			}
		}
		before = c
	}
}

// legible reports that bytes may be operators, and are no pixels.
func legible(b []byte) bool {
	for _, c := range b {
		if c > '~' || c < ' ' && !isSpace(c) || c == 0 {
			return false
		}
	}
	return true
}

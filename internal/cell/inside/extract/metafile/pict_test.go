package metafile

import (
	"testing"

	"blotter/internal/document"
)

// The shapes, patterns and clips of a PICT, to the pixel.
func TestDrawingOfPICT(t *testing.T) {
	red := wideEnds(0x1a, 0xffff, 0, 0)
	all := wideEnds(0x31, 0, 0, 2, 4)
	checks := append(wideEnds(0x0a), 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55)
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"painted":           {pictOf(4, 2, red, all), "rrrr\nrrrr\n"},
		"of a plain colour": {pictOf(4, 2, wideEnds(0x0e, 0, 33), all), "####\n####\n"},
		"erased":            {pictOf(4, 2, red, all, wideEnds(0x32, 0, 1, 2, 3)), "r..r\nr..r\n"},
		"inverted":          {pictOf(4, 2, wideEnds(0x31, 0, 0, 2, 4, 0x33, 0, 1, 2, 3)), "#..#\n#..#\n"},
		"the same again":    {pictOf(4, 2, red, wideEnds(0x07, 0, 0, 0x30, 0, 0, 2, 4, 0x39)), "rrrr\nrrrr\n"},
		"pattern":           {pictOf(4, 2, red, checks, wideEnds(0x34, 0, 0, 2, 4)), "r.r.\n.r.r\n"},
		"colour pattern":    {pictOf(4, 2, wideEnds(0x14, 2, 0, 0, 0, 0, 0, 0, 0xffff), wideEnds(0x34, 0, 0, 2, 4)), "bbbb\nbbbb\n"},
		"polygon":           {pictOf(4, 4, red, wideEnds(0x71, 26, 0, 0, 4, 4, 0, 0, 4, 4, 4, 0, 0, 0)), "....\nr...\nrr..\nrrr.\n"},
		"region":            {pictOf(4, 2, red, wideEnds(0x81, 36, 0, 0, 2, 4, 0, 0, 1, 3, 4, 0x7fff, 2, 0, 1, 3, 4, 0x7fff, 0x7fff)), "r..r\nr..r\n"},
		"clipped":           {pictOf(4, 2, red, wideEnds(0x31, 0, 0, 2, 4, 0x01, 10, 0, 1, 2, 3, 0x1a, 0, 0, 0xffff), all), "rbbr\nrbbr\n"},
		"hidden":            {pictOf(4, 2, red, all, wideEnds(0x01, 10, 0, 0, 0, 0, 0x20, 0, 0, 900, 900)), "rrrr\nrrrr\n"},
		"moved":             {pictOf(4, 2, red, all, wideEnds(0x1a, 0, 0, 0, 0x0c, -1, 0), wideEnds(0x31, 0, 0, 2, 1)), "r#rr\nr#rr\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.b, document.PICT)
			if len(f.Assets()) != 1 || f.Assets()[0].Withheld != "" {
				t.Fatalf("%+v", f.Assets())
			}
			if got := sketch(load(t, f, 0)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// Text of a PICT is counted from where the last began, in the fonts that it names.
func TestTextOfPICT(t *testing.T) {
	named := append(wideEnds(0x2c, 9, 300), "\x06Symbol\x00"...)
	said := func(op int, place []byte, s string) []byte {
		b := append(append(wideEnds(op), place...), byte(len(s)))
		b = append(b, s...)
		return append(b, make([]byte, len(b)&1)...)
	}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"lines":     {pictOf(200, 80, wideEnds(0x0d, 12), said(0x28, wideEnds(20, 10), "J\x9arg"), said(0x2a, []byte{20}, "born"), said(0x29, []byte{100}, "1957")), "Jörg / born / 1957"},
		"on a line": {pictOf(200, 80, said(0x28, wideEnds(20, 10), "An"), said(0x29, []byte{15}, "na")), "Anna"},
		"of Symbol": {pictOf(200, 80, named, wideEnds(0x03, 300), said(0x28, wideEnds(20, 10), "ab")), "αβ"},
	} {
		f := open(t, c.b, document.PICT)
		ws, err := f.Layer(0)
		if err != nil || texts(ws) != c.want || f.Assets()[0].Withheld != "" {
			t.Errorf("%s: %q, want %q, %v, %v", name, texts(ws), c.want, err, f.Assets())
			continue
		}
		inkInside(t, load(t, f, 0), ws)
	}
}

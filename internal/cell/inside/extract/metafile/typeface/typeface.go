// Package typeface draws the characters of metafiles. A metafile names typefaces of the
// machine that wrote it; what it writes is drawn here with the Go fonts, which know Latin,
// Greek and Cyrillic, on the widths that the picture gives or, where it gives none, on those
// of the usual typefaces of its kind. It opens no font of a document.
package typeface

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Style chooses one of the typefaces.
type Style struct{ Bold, Italic, Mono bool }

var files = map[Style][]byte{{}: goregular.TTF, {Bold: true}: gobold.TTF, {Italic: true}: goitalic.TTF,
	{Bold: true, Italic: true}: gobolditalic.TTF, {Mono: true}: gomono.TTF}

// faces are parsed when first used; a parsed face may be shared.
var faces = func() map[Style]func() (*sfnt.Font, error) {
	out := map[Style]func() (*sfnt.Font, error){}
	for s, file := range files {
		out[s] = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(file) })
	}
	return out
}()

// Point is a place in ems from the start of a character on its line: x to the right, y down.
type Point struct{ X, Y float64 }

// Glyph is a character's outline, which winds around what is black, and its width in ems.
type Glyph struct {
	Rings   [][]Point
	Advance float64
}

// em is how fine outlines are, in parts of an em.
const em = 2048

// Outlines keeps the characters that were asked for. The zero value is ready; one goroutine at
// a time may use it.
type Outlines struct {
	buffer sfnt.Buffer
	known  map[key]Glyph
}

type key struct {
	style Style
	r     rune
}

// Glyph returns a character; false where the typeface has none.
func (o *Outlines) Glyph(s Style, r rune) (Glyph, bool) {
	if s.Mono {
		s = Style{Mono: true}
	}
	if g, ok := o.known[key{s, r}]; ok {
		return g, g.Advance > 0
	}
	g := o.load(s, r)
	if o.known == nil {
		o.known = map[key]Glyph{}
	}
	o.known[key{s, r}] = g
	return g, g.Advance > 0
}

func (o *Outlines) load(s Style, r rune) (g Glyph) {
	face, err := faces[s]()
	if err != nil {
		return g
	}
	i, err := face.GlyphIndex(&o.buffer, r)
	if err != nil || i == 0 {
		return g
	}
	wide, err := face.GlyphAdvance(&o.buffer, i, fixed.I(em), font.HintingNone)
	if err != nil {
		return g
	}
	segments, err := face.LoadGlyph(&o.buffer, i, fixed.I(em), nil)
	if err != nil {
		return g
	}
	return Glyph{rings(segments), float64(wide) / 64 / em}
}

// curve is how many lines stand for a curve of an outline.
const curve = 5

func rings(segments sfnt.Segments) (out [][]Point) {
	at := func(p fixed.Point26_6) Point { return Point{float64(p.X) / 64 / em, float64(p.Y) / 64 / em} }
	var last Point
	for _, s := range segments {
		a, b := at(s.Args[0]), at(s.Args[1])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			out = append(out, nil)
		case sfnt.SegmentOpQuadTo:
			for i := 1; i <= curve; i++ {
				t := float64(i) / curve
				u := 1 - t
				out[len(out)-1] = append(out[len(out)-1], Point{u*u*last.X + 2*u*t*a.X + t*t*b.X, u*u*last.Y + 2*u*t*a.Y + t*t*b.Y})
			}
			last = b
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], a)
		last = a
	}
	return out
}

package mark

import (
	"cmp"
	"slices"
	"strings"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Code is a bar code or a code of squares in the picture.
type Code struct {
	Box   document.Box // on the upright page
	Score float64      // 0–1: 1 when it was decoded
	Text  string       // what it says; empty where that was not asked for or not possible
}

const (
	decodedCode = 1.0
	locatedCode = 0.9
)

// sighting is a place where a code may stand, in the pixels of the raster that was
// searched at full size.
type sighting struct {
	box     document.Box
	bars    *region // set where it is a linear code
	certain bool    // it is a code even if it cannot be decoded
}

// codes finds the codes in a picture whose words were read. Unless decode is set, it
// decodes only what it needs to know whether there is a code.
func codes(p pyramid, ws []words.Word, decode bool) []Code {
	var out []Code
	d := newDecoder()
	for _, s := range locate(p) {
		if (s.bars != nil || !s.certain) && s.isText(ws) {
			continue
		}
		c := Code{Box: s.box, Score: locatedCode}
		if decode || !s.certain {
			text, ok := s.decode(d, p[0])
			if !ok && !s.certain && !d.spent() {
				continue
			}
			if c.Text = text; ok {
				c.Score = decodedCode
			}
		}
		out = append(out, c)
	}
	return out
}

// isText reports whether most of a place was read as words, from the pixels and with
// confidence: letters of some fonts are as bars, and no reader makes such words of bars.
func (s sighting) isText(ws []words.Word) bool {
	read := 0
	for _, w := range ws {
		if w.Origin == words.FromPixels && w.Confidence >= sureWord {
			read += w.Box.Intersect(s.box).Area()
		}
	}
	return 2*read >= s.box.Area()
}

func (s sighting) decode(d *decoder, r raster) (string, bool) {
	if s.bars != nil {
		return d.linear(*s.bars)
	}
	return d.square(r, s.box)
}

// locate searches at three sizes: codes of one pixel per module, and those whose wide
// bars are wider than the squares in which the raster is summed up.
func locate(p pyramid) []sighting {
	var out []sighting
	for i, r := range p {
		if r.w < 4*cell || r.h < 4*cell {
			break
		}
		out = append(out, sumUp(r).sight(p[0], 1<<i)...)
	}
	return distinct(out)
}

// sight lists what one size of the picture shows, in the pixels of the full one, whose
// k-th part c is. QR codes have their corners in all sizes, and are looked for where
// noise does not break them up.
func (c *cells) sight(full raster, k int) []sighting {
	var out []sighting
	add := func(b document.Box, certain bool) {
		out = append(out, sighting{box: document.Box{X: b.X * k, Y: b.Y * k, W: b.W * k, H: b.H * k}, certain: certain})
	}
	if k <= 2 {
		for _, q := range quickResponse(c.squares()) {
			add(q.box(c.raster), true)
		}
		for _, b := range c.stacked() {
			add(b, true)
		}
	}
	for _, g := range c.striped() {
		if g = g.enlarged(full, k); g.isBars() {
			for _, code := range g.trimmed() {
				out = append(out, sighting{box: code.box(cell / 2), bars: &code, certain: true})
			}
		}
	}
	boxes, sure := c.dense()
	for i, b := range boxes {
		add(b.Grow(3+min(b.W, b.H)/8, c.w, c.h), sure[i]) // an edge of solid ink was cut off
	}
	return out
}

// distinct drops sightings that lie in others, the certain and then the larger first.
func distinct(in []sighting) []sighting {
	slices.SortStableFunc(in, func(a, b sighting) int {
		if a.certain != b.certain {
			if a.certain {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.box.Area(), a.box.Area())
	})
	var out []sighting
	for _, s := range in {
		inside := slices.ContainsFunc(out, func(o sighting) bool {
			return 10*o.box.Intersect(s.box).Area() >= 8*s.box.Area()
		})
		if !inside && len(out) < maxCandidates {
			out = append(out, s)
		}
	}
	return out
}

// Page sets the code's text as a page, so that personal data is found in it as on any
// other: a line for each field of a contact, a message or a record, a word after each
// label.
func (c Code) Page() *words.Page {
	const advance, pitch = 10, 24
	p := &words.Page{Width: 1, Height: 1}
	fields := strings.FieldsFunc(c.Text, func(r rune) bool { return strings.ContainsRune("\n\r;|\x1d\x1e\x1c", r) })
	for line, field := range fields {
		x := 0
		field = strings.NewReplacer(":", ": ", "=", ": ", "^", " ").Replace(field)
		for _, w := range strings.Fields(field) {
			box := document.Box{X: x, Y: line * pitch, W: advance * len(w), H: pitch * 2 / 3}
			p.Words = append(p.Words, words.Word{Text: w, Box: box, Line: line, Confidence: 1})
			x += box.W + advance
		}
		p.Width, p.Height = max(p.Width, x), (line+1)*pitch
	}
	return p
}

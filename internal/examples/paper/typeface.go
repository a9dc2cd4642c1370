package paper

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// Typeface is an outline font. It may be used by several goroutines.
type Typeface struct {
	name    string
	file    []byte
	outline *opentype.Font
	ruler   font.Face // one em is rulerEm pixels
	mu      sync.Mutex
}

const rulerEm = 256

// The Go fonts (BSD licence, inside golang.org/x/image).
var (
	Regular   = mustParse("Go Regular", goregular.TTF)
	Bold      = mustParse("Go Bold", gobold.TTF)
	Medium    = mustParse("Go Medium", gomedium.TTF)
	Italic    = mustParse("Go Italic", goitalic.TTF)
	Mono      = mustParse("Go Mono", gomono.TTF)
	SmallCaps = mustParse("Go Smallcaps", gosmallcaps.TTF)
)

// ParseTypeface reads a TrueType or OpenType font.
func ParseTypeface(name string, b []byte) (*Typeface, error) {
	outline, err := opentype.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("typeface %s: %w", name, err)
	}
	ruler, err := opentype.NewFace(outline, &opentype.FaceOptions{Size: rulerEm, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("typeface %s: %w", name, err)
	}
	return &Typeface{name: name, file: b, outline: outline, ruler: ruler}, nil
}

func mustParse(name string, b []byte) *Typeface {
	t, err := ParseTypeface(name, b)
	if err != nil {
		panic(err)
	}
	return t
}

// advance is the width of text in points.
func (st Style) advance(text string) float64 {
	st.Face.mu.Lock()
	defer st.Face.mu.Unlock()
	em := float64(font.MeasureString(st.Face.ruler, text)) / 64 / rulerEm
	return em*st.Size + st.Tracking*float64(utf8.RuneCountInString(text))
}

// covers finds characters that the typeface would show as an empty box.
func (t *Typeface) covers(spans []span) error {
	var buffer sfnt.Buffer
	for _, s := range spans {
		for _, r := range s.text {
			if glyph, err := t.outline.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
				return fmt.Errorf("typeface %s has no %q", t.name, r)
			}
		}
	}
	return nil
}

// faceCache keeps faces while one sheet is drawn; a face may not be shared.
type faceCache map[faceKey]font.Face

type faceKey struct {
	face *Typeface
	size float64
}

func (c faceCache) of(st Style, dpi float64) (font.Face, error) {
	key := faceKey{st.Face, st.Size}
	if face, ok := c[key]; ok {
		return face, nil
	}
	face, err := opentype.NewFace(st.Face.outline, &opentype.FaceOptions{Size: st.Size, DPI: dpi, Hinting: font.HintingNone})
	c[key] = face
	return face, err
}

// kern is the distance in ems by which a pair of characters is moved apart.
func (t *Typeface) kern(a, b rune) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return float64(t.ruler.Kern(a, b)) / 64 / rulerEm
}

// width is the advance of one character in ems; false where there is none.
func (t *Typeface) width(r rune) (float64, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, ok := t.ruler.GlyphAdvance(r)
	return float64(a) / 64 / rulerEm, ok
}

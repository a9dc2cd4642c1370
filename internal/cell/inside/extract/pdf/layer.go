package pdf

import (
	"math"
	"sort"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// maxChars bounds the characters read from one page's text layer. A newspaper page
// has about 50,000. Words past it are left to the recogniser.
const maxChars = 200_000

// Layer returns the words of a page's own text, invisible ones included: nil for an
// image. A word with a character that has no known meaning is left out, so that its
// pixels are read instead.
func (d *Document) Layer(i int) ([]words.Word, error) {
	a, err := d.asset(i)
	if err != nil {
		return nil, err
	}
	if a.image != nil || d.tally.Items()[i].Withheld != "" {
		return nil, nil
	}
	ref, err := d.openPage(a.page)
	if err != nil {
		return nil, err
	}
	text, err := d.e.pdf.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: ref})
	if err != nil {
		return nil, d.wrong("load text", err)
	}
	defer func() {
		if !d.e.broken {
			_, err := d.e.pdf.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
			d.e.failed(err)
		}
	}()
	count, err := d.e.pdf.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil {
		return nil, d.wrong("count characters", err)
	}
	l := layer{d: d, text: text.TextPage, page: &d.pages[a.page]}
	for i := range min(count.Count, maxChars) {
		if err := l.char(i); err != nil {
			return nil, err
		}
	}
	l.endLine()
	return apart(l.words), nil
}

// maxPairs bounds how many pairs of words are compared: a second. With more the page has no layer.
const maxPairs = 1 << 28

// apart returns the words that no other lies upon: of those the layer does not tell how they are
// seen. Words on two lines may touch.
func apart(ws []words.Word) []words.Word {
	const few = 5 // parts of the smaller, one of which may be shared
	order := make([]int, len(ws))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return ws[order[i]].Box.Y < ws[order[j]].Box.Y })
	upon, pairs := make([]bool, len(ws)), 0
	for n, i := range order {
		a := ws[i].Box
		for _, j := range order[n+1:] {
			b := ws[j].Box
			if pairs++; b.Y >= a.Y+a.H {
				break
			}
			if few*a.Intersect(b).Area() > min(a.Area(), b.Area()) {
				upon[i], upon[j] = true, true
			}
		}
		if pairs > maxPairs {
			return nil
		}
	}
	var out []words.Word
	for i, w := range ws {
		if !upon[i] {
			out = append(out, w)
		}
	}
	return out
}

// layer collects characters into words and lines.
type layer struct {
	d     *Document
	text  references.FPDF_TEXTPAGE
	page  *page
	words []words.Word
	line  int // number of the current line
	start int // its first word
	cur   collecting
}

// collecting is a word that is not finished.
type collecting struct {
	text   []rune
	half   rune // a surrogate that waits for its other half
	box    document.Box
	bad    bool // a character without meaning
	angles int  // characters that run down or up the picture, minus those along it
	last   document.Box
}

func (l *layer) char(i int) error {
	u, err := l.d.e.pdf.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: l.text, Index: i})
	if err != nil {
		return l.d.wrong("character", err)
	}
	r := rune(u.Unicode)
	switch {
	case r == '\n' || r == '\r':
		l.endLine()
		return nil
	case unicode.IsSpace(r):
		l.endWord()
		return nil
	case r == 0xfffe || r == 0x2: // PDFium's mark for a hyphen at a line's end
		r = '-'
	}
	if err := l.place(i); err != nil {
		return err
	}
	l.spell(i, r)
	return nil
}

// spell adds a character to the word, joining surrogate halves.
func (l *layer) spell(i int, r rune) {
	c := &l.cur
	if utf16.IsSurrogate(r) {
		if c.half == 0 {
			c.half = r
			return
		}
		r, c.half = utf16.DecodeRune(c.half, r), 0
	}
	if r == 0 || r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cc, r) || l.unmapped(i) {
		c.bad = true
	}
	c.text = append(c.text, r)
}

// unmapped reports that PDFium guessed the character.
func (l *layer) unmapped(i int) bool {
	res, err := l.d.e.pdf.FPDFText_HasUnicodeMapError(&requests.FPDFText_HasUnicodeMapError{TextPage: l.text, Index: i})
	return err == nil && res.HasUnicodeMapError
}

// place grows the word's box by a character's: its ink where the font tells it, else
// the room it takes.
func (l *layer) place(i int) error {
	left, bottom, right, top, ok := 0.0, 0.0, 0.0, 0.0, false
	if b, err := l.d.e.pdf.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: l.text, Index: i}); err == nil {
		left, bottom, right, top, ok = b.Left, b.Bottom, b.Right, b.Top, b.Right > b.Left && b.Top > b.Bottom
	}
	if !ok {
		b, err := l.d.e.pdf.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: l.text, Index: i})
		if err != nil {
			l.d.e.failed(err)
			return nil
		}
		left, bottom, right, top = float64(b.Rect.Left), float64(b.Rect.Bottom), float64(b.Rect.Right), float64(b.Rect.Top)
	}
	x0, y0, x1, y1 := l.page.toPixels.bounds(left, bottom, right, top)
	box := document.Box{X: whole(math.Floor(x0)), Y: whole(math.Floor(y0))}
	box.W, box.H = whole(math.Ceil(x1))-box.X, whole(math.Ceil(y1))-box.Y
	l.cur.box = l.cur.box.Union(box)
	defer func() { l.cur.last = box }()
	if angle, err := l.d.e.pdf.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: l.text, Index: i}); err == nil {
		l.cur.angles += l.upDown(float64(angle.CharAngle))
		l.cur.bad = l.cur.bad || !l.goesOn(l.cur.last, box, float64(angle.CharAngle))
	}
	return nil
}

// goesOn reports whether a character stands behind the last one of its word. Where letters run
// backwards, their order is not that in which they are read.
func (l *layer) goesOn(last, box document.Box, angle float64) bool {
	if last.Empty() || box.Empty() {
		return true
	}
	s, c := math.Sincos(-angle) // PDFium counts it with the clock
	m := l.page.toPixels
	dx, dy := m[0]*c+m[2]*s, m[1]*c+m[3]*s
	x, y := float64(2*box.X+box.W-2*last.X-last.W)/2, float64(2*box.Y+box.H-2*last.Y-last.H)/2
	return (x*dx+y*dy)/math.Hypot(dx, dy) > -backStep*float64(min(max(box.W, box.H), max(last.W, last.H)))
}

// backStep is how far back a character may stand, in sizes of the smaller one: accents lie upon
// their letters.
const backStep = 0.25

// whole turns a coordinate into an int, however far off a document puts it.
func whole(v float64) int {
	if !(math.Abs(v) < 1<<30) {
		return 0
	}
	return int(v)
}

// upDown is 1 for a character that runs up or down the picture, −1 for one along it.
func (l *layer) upDown(angle float64) int {
	s, c := math.Sincos(angle)
	m := l.page.toPixels
	dx, dy := m[0]*c+m[2]*s, m[1]*c+m[3]*s
	if math.Abs(dy) > math.Abs(dx) {
		return 1
	}
	return -1
}

func (l *layer) endWord() {
	c := l.cur
	l.cur = collecting{}
	box := c.box.Intersect(document.Box{W: l.page.w, H: l.page.h})
	if len(c.text) == 0 || c.bad || c.half != 0 || box.Empty() {
		return
	}
	l.words = append(l.words, words.Word{
		Text: string(c.text), Box: box, Line: l.line, Confidence: 1, Origin: words.FromLayer, Vertical: c.angles > 0,
	})
}

// endLine puts the words of a line in their order from left to right; those of a line
// that runs up or down stay in the order of the text.
func (l *layer) endLine() {
	l.endWord()
	if len(l.words) == l.start {
		return
	}
	line := l.words[l.start:]
	if !line[0].Vertical {
		sort.SliceStable(line, func(i, j int) bool { return line[i].Box.X < line[j].Box.X })
	}
	l.start = len(l.words)
	l.line++
}

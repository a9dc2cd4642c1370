package eval

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"blotter/internal/document"
	"blotter/internal/truth"
)

// judge holds one document's truth against its assets. Where several assets show one
// picture, such as a page and the scan that fills it, the worst counts: a word is
// destroyed where it is in all of them, and lost where it is in any.
type judge struct {
	doc      truth.Document
	fill     color.Color
	draws    bool // sheets, for the report
	pictures []shown
	images   map[int]int // embedded images met, by page
	unjudged int
	sheets   []sheet
}

// shown is how much of a picture's words and areas is covered, 0–1, in the worst of its
// assets.
type shown struct {
	met   bool // an asset showed the picture, or would have
	words []float64
	areas []float64
}

// view is one derivative beside its picture.
type view struct {
	asset made
	img   image.Image // nil where it is withheld
	shown shown
}

func newJudge(doc truth.Document, fill color.Color, draws bool) *judge {
	return &judge{doc: doc, fill: fill, draws: draws, pictures: make([]shown, len(doc.Pictures)), images: map[int]int{}}
}

// take judges one asset. Assets come in the order of the document.
func (j *judge) take(m made) error {
	at := j.pictureOf(m.Asset.Asset)
	if at < 0 {
		j.unjudged++
		return nil
	}
	p := j.doc.Pictures[at]
	v := view{asset: m, shown: all(p)}
	if m.png != nil {
		img, err := png.Decode(bytes.NewReader(m.png))
		if err != nil {
			return fmt.Errorf("eval: a derivative that is no PNG: %w", err)
		}
		v.img, v.shown = img, look(p, truth.Redacted{Image: img, Fill: j.fill, Boxes: boxesOf(m.Findings)})
	}
	j.pictures[at].worst(p, v.shown)
	if !j.draws {
		return nil
	}
	s, err := v.sheet(p)
	j.sheets = append(j.sheets, s)
	return err
}

// all is a picture of which nothing is handed out.
func all(p truth.Picture) shown {
	s := shown{met: true, words: make([]float64, len(p.Words)), areas: make([]float64, len(p.Areas))}
	for i := range s.words {
		s.words[i] = 1
	}
	for i := range s.areas {
		s.areas[i] = 1
	}
	return s
}

// look measures how much of each word and area is covered.
func look(p truth.Picture, r truth.Redacted) shown {
	size := r.Image.Bounds().Size()
	s := shown{met: true}
	for _, w := range p.In(size.X, size.Y) {
		s.words = append(s.words, w.Covered(r))
	}
	for _, a := range p.AreasIn(size.X, size.Y) {
		s.areas = append(s.areas, a.Covered(r))
	}
	return s
}

// worst takes another asset of the same picture into account.
func (s *shown) worst(p truth.Picture, o shown) {
	if !s.met {
		*s = o
		return
	}
	words, areas := make([]float64, len(o.words)), make([]float64, len(o.areas))
	for i, w := range p.Words {
		words[i] = worstOf(w.Want, s.words[i], o.words[i])
	}
	for i, a := range p.Areas {
		areas[i] = worstOf(a.Want, s.areas[i], o.areas[i])
	}
	s.words, s.areas = words, areas
}

func worstOf(w truth.Want, a, b float64) float64 {
	if w == truth.Keep {
		return max(a, b)
	}
	return min(a, b)
}

func boxesOf(findings []document.Finding) []document.Box {
	out := make([]document.Box, 0, len(findings)) // never nil: where there are no boxes nothing is covered
	for _, f := range findings {
		out = append(out, f.Box)
	}
	return out
}

// pictureOf finds what an asset shows, -1 where the truth does not say. An embedded image
// without truth of its own shows its page if it has the page's proportions, as a scan has;
// a logo or a photo within the page has not.
func (j *judge) pictureOf(a document.Asset) int {
	nth := 0
	if a.Kind == document.Image {
		j.images[a.Page]++
		nth = j.images[a.Page]
	}
	placed := -1
	for i, p := range j.doc.Pictures {
		switch {
		case nth > 0 && p.Image == nth && p.Page == a.Page:
			return i
		case p.Image == 0 && (p.Page == a.Page && p.Frame == a.Frame || len(j.doc.Pictures) == 1 && p.Page == 0 && p.Frame == 0):
			placed = i
		}
	}
	if placed >= 0 && nth > 0 && !alike(j.doc.Pictures[placed], a) {
		return -1
	}
	return placed
}

// alike reports whether an asset has a picture's proportions, give or take 2 %: renderers
// round, scanners crop.
func alike(p truth.Picture, a document.Asset) bool {
	if a.Width < 1 || a.Height < 1 {
		return false
	}
	want, got := float64(p.Width)/float64(p.Height), float64(a.Width)/float64(a.Height)
	return math.Abs(got/want-1) <= 0.02
}

// score counts what became of the document's words and areas. A picture that no asset
// showed left nothing, and counts as withheld.
func (j *judge) score(d *Document, text bool) {
	d.Classes = map[string]Score{}
	for i, p := range j.doc.Pictures {
		s := j.pictures[i]
		if !s.met {
			d.Assets.Missing++
			s = all(p)
		}
		c := count{document: d, picture: p, text: text, values: map[int]value{}}
		c.words(s.words)
		c.areas(s.areas)
	}
}

// count counts one picture into a document.
type count struct {
	document *Document
	picture  truth.Picture
	text     bool
	values   map[int]value
}

// value is what is known of a value so far: its type is its first word's.
type value struct {
	kind  string
	shows bool
}

func (c *count) words(covered []float64) {
	for i, w := range c.picture.Words {
		switch w.Want {
		case truth.Destroy:
			c.secret(i, w, covered[i])
		case truth.Keep:
			c.document.Score.Kept++
			if covered[i] >= truth.Lost {
				c.document.Score.Lost++
				c.document.Losses = append(c.document.Losses, c.miss(w.Quad, "", covered[i], w.Text))
			}
		}
	}
	for _, v := range c.values {
		c.count(v.kind, func(s *Score) {
			s.Values++
			if !v.shows {
				s.ValuesDestroyed++
			}
		})
	}
}

func (c *count) secret(i int, w truth.Word, covered float64) {
	number := w.Value
	if number == 0 {
		number = -1 - i // a word that says of no value is one by itself
	}
	v, known := c.values[number]
	if !known {
		v.kind = w.Type
	}
	gone := covered >= truth.Gone
	v.shows = v.shows || !gone
	c.values[number] = v
	c.count(w.Type, func(s *Score) {
		s.Words++
		if gone {
			s.WordsDestroyed++
		}
	})
	if !gone {
		c.document.Leaks = append(c.document.Leaks, c.miss(w.Quad, w.Type, covered, w.Text))
	}
}

func (c *count) areas(covered []float64) {
	for i, a := range c.picture.Areas {
		switch a.Want {
		case truth.Destroy:
			gone := covered[i] >= truth.Gone
			c.count(a.Type, func(s *Score) {
				s.Areas++
				if gone {
					s.AreasDestroyed++
				}
			})
			if !gone {
				c.document.Leaks = append(c.document.Leaks, c.miss(a.Quad, a.Type, covered[i], ""))
			}
		case truth.Keep:
			c.document.Score.AreasKept++
			if covered[i] >= truth.Lost {
				c.document.Score.AreasLost++
				c.document.Losses = append(c.document.Losses, c.miss(a.Quad, a.Type, covered[i], ""))
			}
		}
	}
}

// count counts for the document and for a class.
func (c *count) count(kind string, add func(*Score)) {
	add(&c.document.Score)
	s := c.document.Classes[kind]
	add(&s)
	c.document.Classes[kind] = s
}

func (c *count) miss(q [4]truth.Point, kind string, covered float64, text string) Miss {
	m := Miss{
		Page: c.picture.Page, Frame: c.picture.Frame, Image: c.picture.Image,
		Box: boxOf(truth.Word{Quad: q}.Box()), Type: kind, Covered: math.Round(covered*100) / 100,
	}
	if c.text {
		m.Text = text
	}
	return m
}

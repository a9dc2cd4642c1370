// Package mark finds what is personal in the pixels of a page and is no word: faces,
// bar codes and codes of squares, and signatures where a label asks for one or a letter ends.
// It answers with boxes, types and scores.
//
// A code is covered because it is there, not because somebody could read it: codes are
// located by their form, and one that is damaged, blurred or of a kind that no decoder
// here knows is found like any other. What a decoder says matters only to a policy that
// keeps harmless codes, and stays in the cell like all text.
//
// Its work is bounded whatever a picture shows (limits.go), and the same for the same
// pixels. Logos, stamps, drawings and photographs without faces give nothing.
//
// Handwriting that the text detector overlooked is found behind colons, where a value
// should stand. Not its business: handwriting elsewhere on the page; a drawn face; who a
// face belongs to.
package mark

import (
	"image"
	"slices"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Marks are what was found on one page, in the upright page's pixels.
type Marks struct {
	// Findings are faces and signatures.
	Findings []document.Finding
	// Codes are judged by the policy on its own terms.
	Codes []Code
	// Unread are strokes of a pen where a value should stand and no word was read.
	Unread []document.Box
}

// Marker finds marks. It never changes: any number of goroutines may use one.
type Marker struct{ faces *cascade }

// New reads the embedded cascade. It panics if the binary's own data is damaged, which a
// test would have seen.
func New() *Marker {
	c, err := parseCascade(cascadeFile)
	if err != nil {
		panic(err)
	}
	return &Marker{c}
}

// Find looks at the pixels of a page that was read: an *image.Gray or an opaque
// *image.NRGBA that must be turned by page.Turn to stand upright. With decode set it
// also says what codes say. An error means a picture of another kind.
func (m *Marker) Find(img image.Image, page *words.Page, decode bool) (Marks, error) {
	r, k, err := grayOf(img, codePixels)
	if err != nil {
		return Marks{}, err
	}
	p := newPyramid(r.upright(page.Turn))
	var out Marks
	for _, c := range codes(p, reduced(page.Words, k), decode) {
		c.Box = onPage(c.Box, k, page)
		out.Codes = append(out.Codes, c)
	}
	small, n := p.within(facePixels)
	for _, w := range m.faces.faces(small) {
		if head := onPage(w.head(small), k*n, page); !out.inCode(head) {
			out.add(document.Face, document.ByFace, w.certainty(), head)
		}
	}
	small, n = p.within(inkPixels)
	pen := &pens{raster: small, ws: reduced(page.Words, k*n)}
	for _, b := range pen.signatures() {
		out.add(document.Signature, document.ByInk, signatureScore, onPage(b, k*n, page))
	}
	for _, b := range pen.overlooked() {
		out.Unread = append(out.Unread, onPage(b, k*n, page))
	}
	return out, nil
}

// signatureScore is sure enough for any policy that covers signatures at all.
const signatureScore = 0.8

// inCode reports whether most of a box lies on a code: in the squares of one the cascade
// may see eyes.
func (m *Marks) inCode(b document.Box) bool {
	return slices.ContainsFunc(m.Codes, func(c Code) bool { return 2*c.Box.Intersect(b).Area() > b.Area() })
}

func (m *Marks) add(t document.Type, by document.Source, score float64, b document.Box) {
	if !b.Empty() {
		m.Findings = append(m.Findings, document.Finding{Box: b, Type: t, Score: score, Source: by})
	}
}

// onPage enlarges a box of a raster that is the k-th part of the page; the pixels of the
// last row and column may stand for more.
func onPage(b document.Box, k int, page *words.Page) document.Box {
	r := b.Rect()
	r.Min, r.Max = r.Min.Mul(k), r.Max.Mul(k).Add(image.Pt(k-1, k-1))
	return document.BoxOf(r.Intersect(image.Rect(0, 0, page.Width, page.Height)))
}

// reduced gives the words' boxes in the k-th part of the page.
func reduced(ws []words.Word, k int) []words.Word {
	out := make([]words.Word, len(ws))
	for i, w := range ws {
		r := w.Box.Rect()
		r.Min, r.Max = r.Min.Div(k), r.Max.Add(image.Pt(k-1, k-1)).Div(k)
		w.Box = document.BoxOf(r)
		out[i] = w
	}
	return out
}

// Package truth is what is known of a document before it is redacted: which words stand
// where, and which of them must be gone afterwards. It judges a redacted image by its
// pixels.
//
// Truth is written by people or by generators about documents that they hold anyway; it
// is the one place outside the cell where a document's text may stand, and nothing that
// serves a job imports it (an architecture test holds that).
package truth

import (
	"image"
	"image/color"
	"math"
	"slices"

	"blotter/internal/document"
)

// Want says what redaction ought to do with a word.
type Want string

// What a test may ask of a word.
const (
	Keep    Want = "keep"    // clinical or ordinary: covering it is a loss
	Destroy Want = "destroy" // identifies a person: leaving it is a leak
	Either  Want = "either"  // a policy may decide both ways: the name of a hospital, a public hot line
)

// Point is a place in a picture, in pixels from its top left corner.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Rect is the quad of an upright rectangle.
func Rect(x0, y0, x1, y1 float64) [4]Point {
	return [4]Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// Word is one word of a picture and where its ink lies.
type Word struct {
	Text  string   `json:"text"`
	Quad  [4]Point `json:"quad"`            // around the ink: top left, top right, bottom right, bottom left
	Want  Want     `json:"want"`            // what ought to become of it
	Type  string   `json:"type,omitempty"`  // name of its document.Type; empty for words to keep
	Value int      `json:"value,omitempty"` // words of one value (a name, an address) share a number; 0 for words to keep
}

// Picture is one picture of a document, as a person sees it: a page, a frame or an
// embedded image, upright.
type Picture struct {
	Page   int    `json:"page,omitempty"`  // 1-based page of a PDF
	Frame  int    `json:"frame,omitempty"` // 1-based frame of a raster file
	Image  int    `json:"image,omitempty"` // 1-based embedded image: of that page, or of the document where it has no pages
	Width  int    `json:"width"`           // pixels in which Quad is measured
	Height int    `json:"height"`
	Words  []Word `json:"words"`
	Areas  []Area `json:"areas,omitempty"` // what is no text: faces, bar codes, signatures
}

// Area is a place without words that must be covered or must stay.
type Area struct {
	Quad [4]Point `json:"quad"`           // as a word's
	Want Want     `json:"want"`           // what ought to become of it
	Type string   `json:"type,omitempty"` // name of its document.Type
}

// Schema names the form of a truth file.
const Schema = "blotter.truth/1"

// Document is a truth file: what is known of one document. It stands beside the
// document, under its name with ".truth.json" behind it.
type Document struct {
	Schema   string    `json:"schema"`             // Schema
	Kind     string    `json:"kind"`               // what sort of document it is, for the report: "form", "fax"
	Language string    `json:"language,omitempty"` // ISO 639-1
	Pictures []Picture `json:"pictures"`
}

// In returns the picture's words as they lie in an asset of that size: a page may be
// rendered at any resolution.
func (p Picture) In(width, height int) []Word {
	out := slices.Clone(p.Words)
	for i := range out {
		out[i].Quad = p.scaled(out[i].Quad, width, height)
	}
	return out
}

// AreasIn returns the picture's areas as they lie in an asset of that size.
func (p Picture) AreasIn(width, height int) []Area {
	out := slices.Clone(p.Areas)
	for i := range out {
		out[i].Quad = p.scaled(out[i].Quad, width, height)
	}
	return out
}

func (p Picture) scaled(q [4]Point, width, height int) [4]Point {
	fx, fy := float64(width)/float64(p.Width), float64(height)/float64(p.Height)
	for k := range q {
		q[k] = Point{q[k].X * fx, q[k].Y * fy}
	}
	return q
}

// Box is the smallest upright box around the word.
func (w Word) Box() document.Box {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, q := range w.Quad {
		x0, y0, x1, y1 = min(x0, q.X), min(y0, q.Y), max(x1, q.X), max(y1, q.Y)
	}
	return document.BoxOf(image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1))))
}

// Redacted is a picture after redaction, as a judge sees it.
type Redacted struct {
	Image image.Image
	// Fill is the colour that boxes are painted in; nil is black.
	Fill color.Color
	// Boxes are where boxes were painted, in the image's pixels. Only there can anything
	// be covered, so that a dark screen or a word that is all ink, such as a dash, is not
	// taken for covered. nil says that the places are unknown and that any counts.
	Boxes []document.Box
}

// Shares of its area from which on a word counts as destroyed or lost.
const (
	Gone = 0.95 // of a word to destroy: it leaves no readable rest of a letter
	Lost = 0.60 // of a word to keep: it can hardly be read any more
)

// Covered is the share (0–1) of the word's area that is of the one fill colour and under
// a box, sampled at 32×12 places as far as they lie in the image. Words must be given in
// the image's own pixels (Picture.In).
func (w Word) Covered(r Redacted) float64 { return r.share(w.Quad) }

// Covered is Word.Covered for a place without words.
func (a Area) Covered(r Redacted) float64 { return r.share(a.Quad) }

func (r Redacted) share(q [4]Point) float64 {
	const columns, rows = 32, 12
	bounds, fill := r.Image.Bounds(), r.fill()
	covered, seen := 0, 0
	for row := range rows {
		for c := range columns {
			p := inside(q, (float64(c)+0.5)/columns, (float64(row)+0.5)/rows)
			at := image.Pt(int(math.Floor(p.X)), int(math.Floor(p.Y)))
			if !at.Add(bounds.Min).In(bounds) {
				continue // cut off at the edge of a scan: nobody sees it
			}
			seen++
			if r.under(at) && same(r.Image.At(at.X+bounds.Min.X, at.Y+bounds.Min.Y), fill) {
				covered++
			}
		}
	}
	return float64(covered) / float64(max(seen, 1))
}

// fill is the fill colour as the picture can show it.
func (r Redacted) fill() color.Color {
	if r.Fill == nil {
		return color.Black
	}
	return r.Image.ColorModel().Convert(r.Fill)
}

func (r Redacted) under(at image.Point) bool {
	if r.Boxes == nil {
		return true
	}
	return slices.ContainsFunc(r.Boxes, func(b document.Box) bool { return at.In(b.Rect()) })
}

func inside(q [4]Point, u, v float64) Point {
	lerp := func(a, b Point, t float64) Point { return Point{a.X + (b.X-a.X)*t, a.Y + (b.Y-a.Y)*t} }
	return lerp(lerp(q[0], q[1], u), lerp(q[3], q[2], u), v)
}

func same(a, b color.Color) bool {
	r, g, bl, al := a.RGBA()
	r2, g2, bl2, al2 := b.RGBA()
	return r == r2 && g == g2 && bl == bl2 && al == al2
}

// Verdict is how a redacted picture compares with the truth.
type Verdict struct {
	Secret, Destroyed     int      // values to destroy, and how many were, in every one of their words
	Words, WordsDestroyed int      // of these values
	Kept, Lost            int      // words to keep, and how many of them were covered
	Leaks                 []string // words that should be gone and can still be seen; invented people only
	Losses                []string // words that should have stayed
}

// Judge compares a redacted picture with the truth. A word to destroy is gone where Gone of
// it is covered, one to keep lost where Lost of it is. Areas are not judged here.
func (p Picture) Judge(r Redacted) Verdict {
	var v Verdict
	size := r.Image.Bounds().Size()
	values := map[int]bool{}
	for _, w := range p.In(size.X, size.Y) {
		share := w.Covered(r)
		switch w.Want {
		case Destroy:
			whole, seen := values[w.Value]
			values[w.Value] = share >= Gone && (whole || !seen)
			v.Words++
			if share >= Gone {
				v.WordsDestroyed++
			} else {
				v.Leaks = append(v.Leaks, w.Text)
			}
		case Keep:
			v.Kept++
			if share >= Lost {
				v.Lost++
				v.Losses = append(v.Losses, w.Text)
			}
		}
	}
	v.Secret = len(values)
	for _, destroyed := range values {
		if destroyed {
			v.Destroyed++
		}
	}
	return v
}

package read

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/agext/levenshtein"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// explanation is a region together with the layer's words that stand in it.
type explanation struct {
	region
	text string
}

// turnLayer maps the layer's words into the upright view and drops those that say
// nothing: blank ones, ones outside the page, and ones that consist of characters
// without a meaning (a font without a mapping to Unicode).
func turnLayer(layer []words.Word, v view) []words.Word {
	var out []words.Word
	for _, w := range layer {
		w.Box = v.fromAsset(w.Box).Intersect(document.Box{W: v.w, H: v.h})
		w.Origin, w.Confidence = words.FromLayer, 1
		if !w.Box.Empty() && meaningful(w.Text) {
			out = append(out, w)
		}
	}
	return out
}

func meaningful(text string) bool {
	good, bad := 0, 0
	for _, c := range text {
		switch {
		case c == unicode.ReplacementChar || unicode.IsControl(c) || unicode.Is(unicode.Co, c):
			bad++
		case !unicode.IsSpace(c):
			good++
		}
	}
	return good > bad
}

// explain parts the regions into those whose ink lies under words of the layer and
// the rest. Position decides here; agrees looks at what the words say.
func explain(v view, regions []region, layer []words.Word) (explained []explanation, rest []region) {
	if len(layer) == 0 {
		return nil, regions
	}
	for _, g := range regions {
		inside := standIn(g, layer)
		if len(inside) > 0 && v.covered(g, inside) >= layerCover {
			explained = append(explained, explanation{g, textOf(inside)})
		} else {
			rest = append(rest, g)
		}
	}
	return explained, rest
}

// standIn returns the words whose middle lies in the region, from left to right.
func standIn(g region, layer []words.Word) []words.Word {
	var out []words.Word
	for _, w := range layer {
		if u, v := g.place(middle(w.Box)); u > -0.05 && u < 1.05 && v > 0.15 && v < 0.85 {
			out = append(out, w)
		} else if b := g.bounds(1<<30, 1<<30).Intersect(w.Box); 2*b.Area() > w.Box.Area() {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b words.Word) int { return a.Box.X - b.Box.X })
	return out
}

func middle(b document.Box) point {
	return point{float64(b.X) + float64(b.W)/2, float64(b.Y) + float64(b.H)/2}
}

// place is the inverse of at: where a point stands in the rectangle.
func (q quad) place(p point) (u, v float64) {
	d := p.sub(q.origin)
	return d.dot(q.along) / q.along.dot(q.along), d.dot(q.down) / q.down.dot(q.down)
}

// shadow is the part of the rectangle's length beside a box, as fractions.
func (q quad) shadow(b document.Box) (from, to float64) {
	box := quadOf(b)
	from, to = math.Inf(1), math.Inf(-1)
	for _, p := range []point{box.at(0, 0), box.at(1, 0), box.at(0, 1), box.at(1, 1)} {
		u, _ := q.place(p)
		from, to = min(from, u), max(to, u)
	}
	return max(0, from), min(1, to)
}

// covered is the share, 0–1, of a region's columns with ink that words stand on.
func (v view) covered(g region, inside []words.Word) float64 {
	c := v.cut(g.quad)
	k := c.ink()
	under := make([]bool, c.w)
	for _, w := range inside {
		u0, u1 := g.shadow(w.Box)
		from, to := max(0, int(u0*float64(c.w))-2), min(c.w, int(u1*float64(c.w))+3)
		for x := from; x < to; x++ {
			under[x] = true
		}
	}
	all, good := 0, 0
	for x := range c.w {
		if k.column(x) > 0 {
			all++
			if under[x] {
				good++
			}
		}
	}
	if all == 0 {
		return 1
	}
	return float64(good) / float64(all)
}

func textOf(ws []words.Word) string {
	var b strings.Builder
	for _, w := range ws {
		b.WriteString(w.Text)
	}
	return b.String()
}

// agrees reads a sample of the regions that the layer explains, spread over the page,
// and reports whether the layer says the same: a scan's hidden text may be of another
// page, or rubbish.
func (r *Reader) agrees(ctx context.Context, v view, explained []explanation) (bool, error) {
	n := min(len(explained), layerSamples)
	sample := make([]region, n)
	for i := range sample {
		sample[i] = explained[i*len(explained)/n].region
	}
	readings, err := r.recognise(ctx, v, sample)
	if err != nil {
		return false, err
	}
	differ := 0
	for i, g := range readings {
		var read strings.Builder
		for _, w := range g.words {
			read.WriteString(w.text)
		}
		if similarity(read.String(), explained[i*len(explained)/n].text) < layerSimilarity {
			differ++
		}
	}
	return 3*differ <= n, nil
}

// similarity compares letters and digits alone, 0–1.
func similarity(a, b string) float64 {
	keep := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	return levenshtein.Similarity(strings.Map(keep, a), strings.Map(keep, b), nil)
}

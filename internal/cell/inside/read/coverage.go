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

// claim is a region together with the layer's words that stand in it.
type claim struct {
	region
	words    []words.Word // from left to right
	doubtful bool         // the words do not explain the region: its pixels count
	reading  *reading     // what the recogniser made of it; nil where it was not asked
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

// explain gives each region the words of the layer under which its ink lies. A region
// whose ink they do not cover is doubtful. Position decides here; check looks at what
// the words say.
func explain(v view, regions []region, layer []words.Word) []*claim {
	out := make([]*claim, len(regions))
	for i, g := range regions {
		inside := standIn(g, layer)
		covered := len(inside) > 0 && v.covered(g, inside) >= layerCover
		out[i] = &claim{region: g, words: inside, doubtful: !covered}
	}
	return out
}

// standIn returns the words whose middle lies in the region, from left to right, or from the
// bottom to the top where the region is a line that runs up or down.
func standIn(g region, layer []words.Word) []words.Word {
	var out []words.Word
	for _, w := range layer {
		if u, v := g.place(middle(w.Box)); u > -0.05 && u < 1.05 && v > 0.15 && v < 0.85 {
			out = append(out, w)
		} else if b := g.bounds(1<<30, 1<<30).Intersect(w.Box); 2*b.Area() > w.Box.Area() {
			out = append(out, w)
		}
	}
	along := func(w words.Word) int { return w.Box.X }
	if g.height() > tallRatio*g.length() {
		along = func(w words.Word) int { return -w.Box.Y - w.Box.H }
	}
	slices.SortStableFunc(out, func(a, b words.Word) int { return along(a) - along(b) })
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

// covered is the share, 0–1, of a region's columns with ink that words stand on: those
// whose ink lies, for the most part, within the words' height too. A region may hold
// more than the line that the layer knows: a date or a signature across it.
func (v view) covered(g region, inside []words.Word) float64 {
	c := v.cut(g.quad)
	k := c.ink()
	under := make([]bool, len(k.dark))
	for _, w := range inside {
		u0, u1 := g.shadow(w.Box)
		v0, v1 := g.upwards().shadow(w.Box)
		v0, v1 = 1-v1, 1-v0 // upwards runs from the foot of the region
		from, to := max(0, int(u0*float64(c.w))-2), min(c.w, int(u1*float64(c.w))+3)
		top, bottom := int((v0-layerSlack)*cropHeight), int((v1+layerSlack)*cropHeight)
		for y := max(0, cropMargin+top); y < min(cropRows, cropMargin+bottom); y++ {
			for x := from; x < to; x++ {
				under[y*c.w+x] = true
			}
		}
	}
	all, good := 0, 0
	for x := range c.w {
		if n := k.column(x); n > 0 {
			all++
			if k.columnOf(x, under) >= 0.7*float64(n) {
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

// check compares what the layer says with what the recogniser reads, in a sample of
// the regions spread over the page: a scan's hidden text may be of another page, or
// rubbish, and a sticker may lie on text. Where the sample differs anywhere, all
// regions are compared, letter by letter: a layer that was wrong once may be so
// elsewhere. It marks the regions whose pixels count instead, and returns the part of the layer that is still
// believed.
func (r *Reader) check(ctx context.Context, v view, claims []*claim, layer []words.Word) ([]words.Word, error) {
	explained := believed(claims)
	wrong, err := r.wrong(ctx, v, parts(spread(explained, layerSamples)))
	if err != nil {
		return nil, err
	}
	if wrong > 0 {
		if wrong, err = r.wrong(ctx, v, explained); err != nil {
			return nil, err
		}
		for _, c := range explained {
			c.doubtful = 3*wrong > len(explained) || c.agreement() < 1
		}
	}
	if 3*wrong > len(explained) {
		return nil, nil
	}
	return withoutDoubtful(layer, claims), nil
}

// spread takes at most n claims, evenly over all.
func spread(claims []*claim, n int) []*claim {
	n = min(len(claims), n)
	out := make([]*claim, n)
	for i := range out {
		out[i] = claims[i*len(claims)/n]
	}
	return out
}

// parts shortens long claims to some words at their start or their end, in turn: a sample
// says as much of a part as of a line that runs from margin to margin.
func parts(claims []*claim) []*claim {
	out := make([]*claim, len(claims))
	for i, c := range claims {
		out[i] = c
		if most := layerSampleLong * c.height() / c.length(); most < 1 {
			out[i] = c.start(most)
			if i%2 == 1 {
				out[i] = c.end(most)
			}
		}
	}
	return out
}

// start is the part of a claim up to the last gap between words before a fraction of its
// length.
func (c *claim) start(most float64) *claim {
	n, to := 1, 1.0
	for ; n < len(c.words); n++ {
		_, ends := c.shadow(c.words[n-1].Box)
		begins, next := c.shadow(c.words[n].Box)
		if to = (ends + begins) / 2; next > most {
			break
		}
	}
	if n == len(c.words) {
		to = 1
	}
	return &claim{region: region{c.part(0, 0, to, 1), c.score}, words: c.words[:n]}
}

// end is the part behind the first gap from which the rest is no longer than a fraction.
func (c *claim) end(most float64) *claim {
	n, from := len(c.words)-1, 0.0
	for ; n > 0; n-- {
		begins, _ := c.shadow(c.words[n].Box)
		before, ends := c.shadow(c.words[n-1].Box)
		if from = (ends + begins) / 2; 1-before > most {
			break
		}
	}
	if n == 0 {
		from = 0
	}
	return &claim{region: region{c.part(from, 0, 1, 1), c.score}, words: c.words[n:]}
}

// wrong reads regions and counts those of which the layer says something else.
func (r *Reader) wrong(ctx context.Context, v view, claims []*claim) (n int, err error) {
	if err := r.readClaims(ctx, v, claims); err != nil {
		return 0, err
	}
	for _, c := range claims {
		if c.agreement() < layerSimilarity {
			n++
		}
	}
	return n, nil
}

// readDoubtful returns the readings of the regions whose pixels count.
func (r *Reader) readDoubtful(ctx context.Context, v view, claims []*claim) ([]reading, error) {
	var doubtful []*claim
	for _, c := range claims {
		if c.doubtful {
			doubtful = append(doubtful, c)
		}
	}
	if err := r.readClaims(ctx, v, doubtful); err != nil {
		return nil, err
	}
	out := make([]reading, len(doubtful))
	for i, c := range doubtful {
		out[i] = *c.reading
	}
	return out, nil
}

// readClaims reads those regions that were not read yet.
func (r *Reader) readClaims(ctx context.Context, v view, claims []*claim) error {
	var unread []*claim
	var regions []region
	for _, c := range claims {
		if c.reading == nil {
			unread, regions = append(unread, c), append(regions, c.region)
		}
	}
	readings, err := r.recognise(ctx, v, regions)
	if err != nil {
		return err
	}
	for i, c := range unread {
		c.reading = &readings[i]
	}
	return nil
}

// withoutDoubtful drops the layer's words that stand in doubtful regions. A word may
// stand in a second region, which it explains no longer: that one is read as well.
func withoutDoubtful(layer []words.Word, claims []*claim) []words.Word {
	type key struct {
		text string
		box  document.Box
	}
	gone := map[key]bool{}
	isGone := func(w words.Word) bool { return gone[key{w.Text, w.Box}] }
	for _, c := range claims {
		if c.doubtful {
			for _, w := range c.words {
				gone[key{w.Text, w.Box}] = true
			}
		}
	}
	for _, c := range claims {
		c.doubtful = c.doubtful || slices.ContainsFunc(c.words, isGone)
	}
	return slices.DeleteFunc(layer, isGone)
}

// agreement is how alike the layer's words of a region and its reading are, 0–1.
func (c *claim) agreement() float64 {
	var read strings.Builder
	for _, w := range c.reading.words {
		read.WriteString(w.text)
	}
	said := similarity(read.String(), textOf(c.words))
	if c.height() > tallRatio*c.length() { // it may run down
		down := slices.Clone(c.words)
		slices.Reverse(down)
		said = max(said, similarity(read.String(), textOf(down)))
	}
	return said
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

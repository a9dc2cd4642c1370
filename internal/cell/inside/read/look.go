package read

import (
	"bytes"
	"context"
	"image"
	"slices"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Look searches a derivative for text again, at another scale than Read, and reads
// only what is new or touches a burned box. turn is how the first look turned the
// asset; burned are the boxes that were filled, in the asset's pixels; before is what
// the first look read, nil to take everything for new.
//
// While Look runs, burned boxes have the colour of their surroundings in img; when it
// returns, img is as it was.
//
// The page holds only the words found now and the regions that stayed unread, in the
// upright frame, without what lies under burned boxes. Errors carry
// read.engine_failed, or are ctx's.
func (r *Reader) Look(ctx context.Context, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) (words.Page, error) {
	page, err := r.look(ctx, img, turn, burned, before)
	return page, because(ctx, err)
}

func (r *Reader) look(ctx context.Context, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) (words.Page, error) {
	p, err := pictureOf(img)
	if err != nil || p.w <= 0 || p.h <= 0 {
		return words.Page{}, err
	}
	burned, unburned := p.parted(burned)
	defer p.cover(burned)()
	v := p.turned(turn)
	regions, err := r.detect(v, lookZoom)
	if err != nil {
		return words.Page{}, err
	}
	gone, standing := v.allFromAsset(burned), v.allFromAsset(unburned)
	regions = slices.DeleteFunc(regions, func(g region) bool {
		return under(g.quad, standing) == 0 && !worthReading(g, gone, before)
	})
	if before != nil && len(standing) == 0 {
		regions = newsOf(regions, gone, before)
	}
	readings, err := r.recognise(ctx, v, regions)
	if err != nil {
		return words.Page{}, err
	}
	readings = slices.DeleteFunc(readings, v.tickBox)
	readable, unread := judge(readings, v.w, v.h)
	destroyed := func(b document.Box) bool { return under(quadOf(b), gone) >= lookInside }
	return words.Page{
		Width: v.w, Height: v.h, Turn: v.turn,
		Unread: slices.DeleteFunc(unread, destroyed),
		Words: slices.DeleteFunc(arrange(readable, nil, skew(regions), v.w, v.h),
			func(w words.Word) bool { return destroyed(w.Box) }),
	}, nil
}

// parted tells the boxes that were burned from those that are only said to be: a box
// that is not of one colour was not, and what stands there is read.
func (p picture) parted(boxes []document.Box) (burned, unburned []document.Box) {
	for _, b := range boxes {
		if p.plain(b) {
			burned = append(burned, b)
		} else {
			unburned = append(unburned, b)
		}
	}
	return burned, unburned
}

func (v view) allFromAsset(boxes []document.Box) []document.Box {
	out := make([]document.Box, len(boxes))
	for i, b := range boxes {
		out[i] = v.fromAsset(b)
	}
	return out
}

// cover paints the burned boxes in the colour of what is around them, since black boxes
// side by side look like writing to the detector, and returns what paints them back: a
// copy of a page would double its memory. A box that is not of one colour was not burned
// and stays.
func (p picture) cover(burned []document.Box) (uncover func()) {
	page := document.Box{W: p.w, H: p.h}
	type painted struct {
		box            document.Box
		colour, around [3]uint8
	}
	var all []painted
	for _, b := range burned {
		b = b.Intersect(page)
		if b.Empty() || !p.plain(b) {
			continue
		}
		was := painted{box: b, around: p.around(b, burned)}
		copy(was.colour[:p.channels], p.pix[b.Y*p.stride+b.X*p.step:])
		all = append(all, was)
	}
	for _, x := range all {
		p.fill(x.box, x.around)
	}
	return func() {
		for _, x := range all {
			p.fill(x.box, x.colour)
		}
	}
}

func (p picture) fill(b document.Box, colour [3]uint8) {
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			copy(p.pix[y*p.stride+x*p.step:], colour[:p.channels])
		}
	}
}

// plain reports whether all pixels of a box that lie in the picture have one colour.
func (p picture) plain(b document.Box) bool {
	if b = b.Intersect(document.Box{W: p.w, H: p.h}); b.Empty() {
		return true
	}
	first := p.pix[b.Y*p.stride+b.X*p.step:][:p.channels]
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			if !bytes.Equal(p.pix[y*p.stride+x*p.step:][:p.channels], first) {
				return false
			}
		}
	}
	return true
}

// around is the median colour next to a box, where no other box is; white where
// boxes are all around.
func (p picture) around(b document.Box, burned []document.Box) (out [3]uint8) {
	var count [3][256]int
	n := 0
	ring := b.Grow(2, p.w, p.h)
	near := slices.DeleteFunc(slices.Clone(burned), func(o document.Box) bool { return o.Intersect(ring).Empty() })
	for y := ring.Y; y < ring.Y+ring.H; y++ {
		for x := ring.X; x < ring.X+ring.W; x++ {
			if slices.ContainsFunc(near, func(o document.Box) bool { return image.Pt(x, y).In(o.Rect()) }) {
				continue
			}
			n++
			for c := range p.channels {
				count[c][p.pix[y*p.stride+x*p.step+c]]++
			}
		}
	}
	for c := range out {
		out[c] = median(count[c], n)
		if n == 0 {
			out[c] = 255
		}
	}
	return out
}

// worthReading reports whether a region is neither destroyed nor known from before,
// or reaches out from under a burned box.
func worthReading(g region, burned []document.Box, before *words.Page) bool {
	switch share := under(g.quad, burned); {
	case share >= lookInside:
		return false
	case share > 0 || before == nil:
		return true
	}
	return under(g.quad, knownBoxes(before)) < lookKnown
}

func knownBoxes(before *words.Page) []document.Box {
	known := slices.Clone(before.Unread)
	for _, w := range before.Words {
		known = append(known, w.Box)
	}
	return known
}

// newsOf cuts regions down to what is worth reading in them.
func newsOf(regions []region, burned []document.Box, before *words.Page) (out []region) {
	known := knownBoxes(before)
	for _, g := range regions {
		out = append(out, g.news(burned, known)...)
	}
	return out
}

// news are the parts of a region that the first look does not explain, and those beside
// burned boxes, up to the ends of the words that stand there: a line with a name in it
// is not read a second time from one margin to the other.
func (g region) news(burned, known []document.Box) (out []region) {
	if g.height() > g.length() {
		return []region{g}
	}
	h := g.height() / g.length()
	gone, explained := g.shadows(burned), g.shadows(known)
	news := without(span01{0, 1}, append(slices.Clone(gone), explained...), lookGap*h)
	for _, s := range gone {
		news = append(news, span01{max(0, s.from-lookBeside*h), s.from}, span01{s.to, min(1, s.to+lookBeside*h)})
	}
	for _, n := range united(news, explained) {
		if n.to-n.from > lookLeast*h {
			part := g
			part.quad = g.part(n.from, 0, n.to, 1)
			out = append(out, part)
		}
	}
	return out
}

// span01 is a part of a region's length, in fractions of it.
type span01 struct{ from, to float64 }

// shadows are the parts of a rectangle's length that boxes in it stand on, in order.
func (q quad) shadows(boxes []document.Box) (out []span01) {
	bounds := q.bounds(1<<30, 1<<30)
	for _, b := range boxes {
		if _, v := q.place(middle(b)); b.Intersect(bounds).Empty() || v < -0.25 || v > 1.25 {
			continue
		}
		if from, to := q.shadow(b); to > from {
			out = append(out, span01{from, to})
		}
	}
	slices.SortFunc(out, func(a, b span01) int { return compare(a.from, b.from) })
	return out
}

// without is what is left of a span, in pieces of at least the given length.
func without(s span01, taken []span01, least float64) (out []span01) {
	slices.SortFunc(taken, func(a, b span01) int { return compare(a.from, b.from) })
	for _, t := range append(taken, span01{s.to, s.to}) {
		if t.from-s.from >= least {
			out = append(out, span01{s.from, t.from})
		}
		s.from = max(s.from, t.to)
	}
	return out
}

// united widens each span over the words that it touches and makes one of those that
// meet.
func united(spans, words []span01) (out []span01) {
	for i := range spans {
		s := &spans[i]
		for _, w := range words {
			if w.from < s.to && w.to > s.from {
				s.from, s.to = min(s.from, w.from), max(s.to, w.to)
			}
		}
	}
	slices.SortFunc(spans, func(a, b span01) int { return compare(a.from, b.from) })
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// under is the share, 0–1, of a rectangle that lies under boxes, judged on a grid of
// points over its middle: a region is larger than the letters in it.
func under(q quad, boxes []document.Box) float64 {
	const columns, rows = 32, 5
	hit := 0
	for j := range rows {
		for i := range columns {
			p := q.at((float64(i)+0.5)/columns, 0.2+0.6*(float64(j)+0.5)/rows)
			at := image.Pt(int(p.x), int(p.y))
			if slices.ContainsFunc(boxes, func(b document.Box) bool { return at.In(b.Rect()) }) {
				hit++
			}
		}
	}
	return float64(hit) / (columns * rows)
}

func quadOf(b document.Box) quad {
	return quad{point{float64(b.X), float64(b.Y)}, point{float64(b.W), 0}, point{0, float64(b.H)}}
}

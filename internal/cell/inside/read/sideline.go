package read

import (
	"slices"

	"blotter/internal/document"
)

// The detector sees whole lines of upright text, but only pieces of what runs up or down a
// margin beside it: it cuts words, sees them twice, or sees two lines as one. Where pieces
// tell of such text, that part of the page is searched once more, turned by a quarter.

// withSidelines replaces the pieces of lines that run up or down by the lines themselves.
func (r *Reader) withSidelines(v view, regions []region) ([]region, error) {
	parts := sideParts(regions, v.w, v.h)
	if len(parts) == 0 {
		return regions, nil
	}
	turned := v.picture.turned(v.turn + 1)
	for i, b := range parts {
		parts[i] = turned.fromAsset(v.turn.ToAsset(b, v.w, v.h))
	}
	seen, err := r.detectIn(turned, parts)
	if err != nil {
		return nil, err
	}
	upright := slices.DeleteFunc(slices.Clone(regions), func(g region) bool { return !g.lies() })
	var lines []region
	for _, g := range seen {
		if 10*g.length() < 7*g.height() { // a line of the upright text that reaches in
			continue
		}
		if g.quad = g.turnedBack(v.h); g.insideAll(upright) < sideUpright {
			lines = append(lines, g)
		}
	}
	pieces := func(g region) bool { return !g.lies() && g.insideAll(lines) >= sideKnown }
	return append(slices.DeleteFunc(slices.Clone(regions), pieces), lines...), nil
}

// sideParts are the parts of a page where regions tell of text on its side: one that is
// clearly higher than long, or two above each other.
func sideParts(regions []region, w, h int) (out []document.Box) {
	var tall, around []document.Box
	for _, g := range regions {
		if g.height() >= sideTall*g.length() {
			b := g.bounds(w, h)
			tall = append(tall, b)
			around = append(around, document.Box{X: b.X - 2*b.W, Y: b.Y - 4*b.W, W: 5 * b.W, H: b.H + 8*b.W}.
				Intersect(document.Box{W: w, H: h}))
		}
	}
	for _, part := range merged(around) {
		n := 0
		for _, b := range tall {
			if part.Intersect(b) == b {
				n++
			}
			if float64(b.H) >= sideSure*float64(b.W) && part.Intersect(b) == b {
				n++
			}
		}
		if n >= 2 {
			out = append(out, part)
		}
	}
	return out
}

// lies reports whether a region is clearly a line along the rows.
func (g region) lies() bool { return g.length() >= 2*g.height() }

// turnedBack maps a line of a view that was turned clockwise by a quarter into the view of
// height h that it was before: higher than long, as the detector would see it there.
func (q quad) turnedBack(h int) quad {
	back := func(d point) point { return point{d.y, -d.x} }
	up := quad{back(q.origin).add(point{0, float64(h)}), back(q.along), back(q.down)}
	return quad{up.at(1, 0), up.down, up.along.scale(-1)}
}

// insideAll is the share of a rectangle that lies in any of several, judged on a grid of points.
func (q quad) insideAll(all []region) float64 {
	const wide = 1 << 30
	bounds := q.bounds(wide, wide)
	near := slices.DeleteFunc(slices.Clone(all), func(o region) bool { return o.bounds(wide, wide).Intersect(bounds).Empty() })
	const across, down = 4, 64 // a line that crosses others shows between them
	hit := 0
	for i := range across * down {
		p := q.at((float64(i%across)+0.5)/across, (float64(i/across)+0.5)/down)
		if slices.ContainsFunc(near, func(o region) bool { return o.holds(p) }) {
			hit++
		}
	}
	return float64(hit) / (across * down)
}

func (q quad) holds(p point) bool {
	u, v := q.place(p)
	return u >= 0 && u <= 1 && v >= 0 && v <= 1
}

package read

import (
	"context"
	"math"
	"slices"

	"blotter/internal/document"
)

// A stamp across print is written twice over: the detector sees the lines of the print, and
// the recogniser reads them, or neither. Its ink is paler than print, or has a colour. So
// where strokes of such ink stand among print, the print is taken away, and what is left is
// searched and read.

// readOver reads what stands on print in another ink. known are the page's regions.
func (r *Reader) readOver(ctx context.Context, v view, known []region) ([]reading, error) {
	t, ok := v.picture.tones()
	if !ok {
		return nil, nil
	}
	parts := v.picture.overprinted(t)
	if areaOf(parts) > int(overMost*float64(v.w*v.h)) {
		return nil, nil // a picture, or shadows
	}
	slope := skew(known)
	var out []reading
	for _, part := range parts {
		rest := v.picture.withoutPrint(part, t).turned(v.turn)
		at := v.fromAsset(part)
		regions, err := r.detectOver(rest, detectScale(v.w, v.h))
		if err != nil {
			return nil, err
		}
		shift := point{float64(at.X), float64(at.Y)}
		regions = stamped(regions, func(g region) bool { return g.moved(shift).printed(known, slope) })
		readings, err := r.recognise(ctx, rest, regions)
		if err != nil {
			return nil, err
		}
		for _, g := range readings {
			out = append(out, g.moved(shift).ifSure())
		}
	}
	return out, nil
}

// ifSure takes words that print may have mutilated for unread.
func (g reading) ifSure() reading {
	for i := range g.words {
		if g.words[i].confidence < sureWord {
			g.words[i].confidence = 0
		}
	}
	return g
}

// stamped are the regions that are long enough to run somewhere and are no rest of print,
// and the shorter ones that go on where they end.
func stamped(regions []region, printed func(region) bool) []region {
	long := slices.DeleteFunc(slices.Clone(regions), func(g region) bool { return g.length() < overLong*g.height() || printed(g) })
	return slices.DeleteFunc(regions, func(g region) bool {
		return !slices.ContainsFunc(long, func(o region) bool {
			u, v := o.place(g.at(0.5, 0.5))
			return v > -0.2 && v < 1.2 && u > -overNear && u < 1+overNear && 2*g.height() > o.height()
		})
	})
}

func (r *Reader) detectOver(v view, scale float64) ([]region, error) {
	small := v.scaled(scale)
	heat, err := r.heat(small)
	if err != nil {
		return nil, err
	}
	return heat.regionsAt(float64(v.w)/float64(small.w), float64(v.h)/float64(small.h)), nil
}

func (g region) moved(by point) region {
	g.origin = g.origin.add(by)
	return g
}

func (g reading) moved(by point) reading {
	g.region = g.region.moved(by)
	for i := range g.words {
		g.words[i].origin = g.words[i].origin.add(by)
	}
	return g
}

// printed reports whether a region is what is left of print that is known: it runs as the
// page's lines do, and lies in them.
func (g region) printed(known []region, slope float64) bool {
	turned := math.Abs(math.Atan2(g.along.y, g.along.x) - math.Atan(slope))
	return turned <= overAngle && g.insideAll(known) >= overKnown
}

// tones tell print from paper: a pixel is print where its brightest channel is under dark,
// and blank where its darkest is not under pale.
type tones struct{ paper, dark, pale uint8 }

// tones are those of a page of dark print on light paper; false for another.
func (p picture) tones() (tones, bool) {
	var count [256]int
	n := 0
	for y := 0; y < p.h; y += overRows {
		for x := 0; x < p.w; x += 2 {
			count[p.brightest(x, y)]++
			n++
		}
	}
	paper, print := int(median(count, n)), 0
	for below := 0; print < 255; print++ {
		if below += count[print]; below*100 >= n {
			break
		}
	}
	span := float64(paper - print)
	if paper < 160 || span < 100 {
		return tones{}, false
	}
	return tones{uint8(paper), uint8(float64(print) + overDark*span), uint8(float64(paper) - overPale*span)}, true
}

func (p picture) brightest(x, y int) uint8 {
	i := y*p.stride + x*p.step
	if p.channels == 1 {
		return p.pix[i]
	}
	return max(p.pix[i], p.pix[i+1], p.pix[i+2])
}

func (p picture) darkest(x, y int) uint8 {
	i := y*p.stride + x*p.step
	if p.channels == 1 {
		return p.pix[i]
	}
	return min(p.pix[i], p.pix[i+1], p.pix[i+2])
}

// overprinted are the parts of a picture in which strokes of another ink than the print's
// stand close together, and print among them.
func (p picture) overprinted(t tones) (out []document.Box) {
	unit := max(1, float64(max(p.w, p.h))/overLongSide)
	cell := int(overCell * unit)
	columns := p.w/cell + 1
	strokes, print := make([]int, columns*(p.h/cell+1)), make([]int, columns*(p.h/cell+1))
	least, most, halo := int(math.Ceil(3*unit)), int(overStroke*unit), p.halo()
	for y := halo; y+halo < p.h; y += overRows {
		from := 0
		for x := 0; x < p.w; x++ {
			bright := p.brightest(x, y)
			if bright < t.dark {
				print[y/cell*columns+x/cell]++
			} else if x+1 < p.w && p.darkest(x, y) < t.pale {
				continue
			}
			if n, mid := x-from, (from+x)/2; n >= least && n <= most &&
				p.brightest(mid, y-halo) >= t.dark && p.brightest(mid, y+halo) >= t.dark {
				strokes[y/cell*columns+mid/cell]++
			}
			from = x + 1
		}
	}
	var near []document.Box
	for i, n := range strokes {
		if n >= overFew {
			near = append(near, document.Box{X: i % columns * cell, Y: i / columns * cell, W: cell, H: cell}.Grow(cell, p.w, p.h))
		}
	}
	for _, part := range merged(near) {
		inked, printed := 0, 0
		for i := range strokes {
			if at := (document.Box{X: i % columns * cell, Y: i / columns * cell, W: 1, H: 1}); part.Intersect(at).Empty() {
				continue
			}
			if strokes[i] >= overFew {
				inked++
			}
			if print[i] > 0 {
				printed++
			}
		}
		if inked >= overCells && 3*printed >= inked {
			out = append(out, part)
		}
	}
	return out
}

// halo is how far print is blurred, in pixels.
func (p picture) halo() int { return max(1, int(math.Round(float64(max(p.w, p.h))/overHalo))) }

// withoutPrint is a part of a picture in gray, with what stands at both sides of the print
// instead of it.
func (p picture) withoutPrint(part document.Box, t tones) picture {
	out, print := newPicture(part.W, part.H, 1), newPicture(part.W, part.H, 1)
	halo := p.halo()
	for y := range part.H {
		for x := range part.W {
			out.pix[y*out.stride+x] = min(t.paper, p.darkest(part.X+x, part.Y+y))
			if p.brightest(part.X+x, part.Y+y) < t.dark {
				print.fill(document.Box{X: x, Y: y, W: 1, H: 1}.Grow(halo, part.W, part.H), [3]uint8{1})
			}
		}
	}
	across := newPicture(part.W, part.H, 1)
	copy(across.pix, out.pix)
	for y := range part.H {
		across.bridge(print, y*part.W, 1, part.W, t.paper)
	}
	for x := range part.W {
		out.bridge(print, x, part.W, part.H, t.paper)
	}
	for i, v := range across.pix {
		out.pix[i] = min(v, out.pix[i])
	}
	return out
}

// bridge replaces the print in n pixels, step apart, by the lighter of what stands at both
// of its ends.
func (p picture) bridge(print picture, from, step, n int, paper uint8) {
	for i := 0; i < n; i++ {
		start := i
		for i < n && print.pix[from+i*step] != 0 {
			i++
		}
		if i == start {
			continue
		}
		value := paper
		if start > 0 && i < n {
			value = max(p.pix[from+(start-1)*step], p.pix[from+i*step])
		}
		for k := start; k < i; k++ {
			p.pix[from+k*step] = value
		}
	}
}

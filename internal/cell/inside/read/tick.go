package read

import (
	"math"
	"unicode/utf8"
)

// A box to tick is no text, though detectors take it for some and recognisers read it as
// an x, a check mark, or a Chinese character. It stays, ticked or not. A box in a comb,
// where each holds a character of a number, is text: combs have neighbours.

// tickBox reports whether a region that was not clearly read is a small square frame
// that stands alone.
func (v view) tickBox(g reading) bool {
	if l, h := g.length(), g.height(); l > tickLong*h || h > tickLong*l || g.surely() {
		return false
	}
	side := max(g.length(), g.height())
	across, down := side/g.length(), side/g.height()
	c := v.cut(g.part(0.5-tickAround*across, 0.5-1.4*down, 0.5+tickAround*across, 0.5+1.4*down))
	k := c.ink()
	frames := k.frames(cropHeight / 2.8)
	x, y := c.w/2, cropRows/2
	for _, f := range frames {
		if x > f.left && x < f.right && y > f.top && y < f.bottom {
			return !f.beside(frames)
		}
	}
	return false
}

// surely reports whether a region was read as more than a mark, or without doubt.
func (g reading) surely() bool {
	n := 0
	for _, w := range g.words {
		n += utf8.RuneCountInString(w.text)
	}
	return n > 2 || n > 0 && g.foreign == 0 && g.confidence >= sureWord
}

// frame is a rectangle of ink in a crop; right and bottom lie outside.
type frame struct{ left, top, right, bottom int }

// beside reports whether another frame stands within a side's length on the same row.
func (f frame) beside(all []frame) bool {
	side := f.right - f.left
	for _, o := range all {
		apart := max(o.left-f.right, f.left-o.right)
		if apart >= -2 && apart < side && o.top < f.bottom && f.top < o.bottom {
			return true
		}
	}
	return false
}

// frames finds square frames whose sides are half to two and a half times as long as
// expected: two runs of ink of one length above each other, joined at both ends.
func (k ink) frames(side float64) (out []frame) {
	least, most := int(0.5*side), int(2.4*side)
	var lines []frame // runs of ink along a row
	for y := range cropRows {
		for x := 0; x < k.w; x++ {
			from := x
			for x < k.w && k.dark[y*k.w+x] {
				x++
			}
			if n := x - from; n >= least && n <= most {
				lines = append(lines, frame{from, y, x, y + 1})
			}
		}
	}
	for i, a := range lines {
		for _, b := range lines[i+1:] {
			f := frame{min(a.left, b.left), a.top, max(a.right, b.right), b.bottom}
			w, h := float64(f.right-f.left), float64(f.bottom-f.top)
			if w < 1.35*h && h < 1.35*w && near(a.left, b.left) && near(a.right, b.right) && k.joined(f) {
				out = append(out, f)
			}
		}
	}
	return out
}

func near(a, b int) bool { return math.Abs(float64(a-b)) <= 3 }

// joined reports whether ink runs down both sides of a frame, within three columns of
// each edge.
func (k ink) joined(f frame) bool {
	down := func(from, to int) bool {
		n := 0
		for y := f.top; y < f.bottom; y++ {
			for x := max(0, from); x < min(k.w, to); x++ {
				if k.dark[y*k.w+x] {
					n++
					break
				}
			}
		}
		return n*10 >= (f.bottom-f.top)*9
	}
	return down(f.left, f.left+3) && down(f.right-3, f.right)
}

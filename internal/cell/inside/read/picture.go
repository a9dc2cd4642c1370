package read

import (
	"fmt"
	"image"
	"math"

	"blotter/internal/document"
)

// picture is a view of pixels with one or three colour channels.
type picture struct {
	pix          []uint8
	w, h, stride int
	step         int // bytes from a pixel to its neighbour
	channels     int // 1: gray; 3: red, green, blue
}

// pictureOf views an image without copying it.
func pictureOf(img image.Image) (picture, error) {
	switch m := img.(type) {
	case *image.Gray:
		return picture{m.Pix, m.Rect.Dx(), m.Rect.Dy(), m.Stride, 1, 1}, nil
	case *image.NRGBA:
		return picture{m.Pix, m.Rect.Dx(), m.Rect.Dy(), m.Stride, 4, 3}, nil
	}
	return picture{}, fmt.Errorf("read: a picture of type %T", img)
}

func newPicture(w, h, channels int) picture {
	return picture{make([]uint8, w*h*channels), w, h, w * channels, channels, channels}
}

// view is a picture as it stands after a turn: w and h are the upright page's.
type view struct {
	picture
	turn document.Turn
	w, h int
}

func (p picture) turned(t document.Turn) view {
	if t%2 == 1 {
		return view{p, t % 4, p.h, p.w}
	}
	return view{p, t % 4, p.w, p.h}
}

// asset maps a point of the upright page into the picture; document.Turn.ToAsset
// for points.
func (v view) asset(p point) point {
	w, h := float64(v.w), float64(v.h)
	switch v.turn {
	case 1:
		return point{p.y, w - p.x}
	case 2:
		return point{w - p.x, h - p.y}
	case 3:
		return point{h - p.y, p.x}
	}
	return p
}

// span says which source pixels make up one target pixel: first to last, the ends
// weighted in 1/256.
type span struct {
	first, last             int
	firstWeight, lastWeight uint32
}

// spans divides n source pixels among size target pixels, by area where that
// shrinks, and by the nearest pixel pair where it enlarges.
func spans(size, n int) []span {
	out := make([]span, size)
	ratio := float64(n) / float64(size)
	for i := range out {
		lo, hi := float64(i)*ratio, float64(i+1)*ratio
		if ratio < 1 {
			mid := (lo + hi) / 2
			lo, hi = mid-0.5, mid+0.5
		}
		lo, hi = max(0, lo), min(float64(n), hi)
		s := span{first: min(int(lo), n-1), last: min(n-1, int(math.Ceil(hi))-1)}
		s.firstWeight = uint32(256 * (float64(s.first+1) - lo))
		s.lastWeight = uint32(256 * (hi - float64(s.last)))
		if s.last <= s.first {
			s.last, s.firstWeight, s.lastWeight = s.first, 256, 0
		}
		out[i] = s
	}
	return out
}

// resize returns the picture at another size, averaged by area.
func (p picture) resize(w, h int) picture {
	out := newPicture(w, h, p.channels)
	columns, rows := spans(w, p.w), spans(h, p.h)
	sums := make([]uint32, p.w*p.channels)
	for y, r := range rows {
		total := p.sumRows(sums, r)
		line := out.pix[y*out.stride:]
		for c := range p.channels {
			for x, s := range columns {
				sum, weight := sums[s.first*p.channels+c]*s.firstWeight, s.firstWeight
				for k := s.first + 1; k < s.last; k++ {
					sum += sums[k*p.channels+c] << 8
					weight += 256
				}
				if s.last > s.first {
					sum += sums[s.last*p.channels+c] * s.lastWeight
					weight += s.lastWeight
				}
				line[x*p.channels+c] = uint8((sum/total + weight/2) / weight)
			}
		}
	}
	return out
}

// sumRows adds up the rows of a span, weighted, and returns the sum of the weights.
// Sums stay under 2³² for a reduction of up to 16 in each direction; detectScale and
// zoom keep it under 4.
func (p picture) sumRows(sums []uint32, r span) (total uint32) {
	clear(sums)
	for y := r.first; y <= r.last; y++ {
		weight := uint32(256)
		switch y {
		case r.first:
			weight = r.firstWeight
		case r.last:
			weight = r.lastWeight
		}
		total += weight
		row := p.pix[y*p.stride:]
		if p.step == 1 {
			for x, v := range row[:p.w] {
				sums[x] += uint32(v) * weight
			}
			continue
		}
		for x := range p.w {
			px, s := row[x*p.step:x*p.step+3], sums[x*p.channels:x*p.channels+3]
			s[0] += uint32(px[0]) * weight
			s[1] += uint32(px[1]) * weight
			s[2] += uint32(px[2]) * weight
		}
	}
	return max(1, total)
}

// quarterTurns returns the picture turned clockwise by t quarters.
func (p picture) quarterTurns(t document.Turn) picture {
	if t%4 == 0 {
		return p
	}
	v := p.turned(t)
	out := newPicture(v.w, v.h, p.channels)
	for y := range v.h {
		for x := range v.w {
			a := v.asset(point{float64(x) + 0.5, float64(y) + 0.5})
			from := p.pix[int(a.y)*p.stride+int(a.x)*p.step:]
			copy(out.pix[y*out.stride+x*out.step:], from[:p.channels])
		}
	}
	return out
}

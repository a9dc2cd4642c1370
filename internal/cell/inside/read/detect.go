package read

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
)

// region is a place where the detector sees text.
type region struct {
	quad
	score float64 // mean probability, 0–1
}

// ImageNet's mean and deviation, with which the detector was trained.
var (
	detectMean      = [3]float32{0.485, 0.456, 0.406}
	detectDeviation = [3]float32{0.229, 0.224, 0.225}
)

// detect finds the regions with text on a view. zoom multiplies the usual scale.
func (r *Reader) detect(v view, zoom float64) ([]region, error) {
	small := v.scaled(detectScale(v.w, v.h) * zoom)
	if v.w*v.h > largePicture {
		debug.FreeOSMemory() // what decoding left, before the detector takes its share
	}
	heat, err := r.heat(small)
	if err != nil {
		return nil, err
	}
	return v.withoutNoise(heat.regionsAt(float64(v.w)/float64(small.w), float64(v.h)/float64(small.h))), nil
}

// scaled is the view's picture at another size, standing as the view does.
func (v view) scaled(scale float64) picture {
	w, h := max(1, int(math.Round(float64(v.picture.w)*scale))), max(1, int(math.Round(float64(v.picture.h)*scale)))
	return v.picture.resize(w, h).quarterTurns(v.turn)
}

// regionsAt are the map's regions in the pixels of a view that is sx and sy times as large.
func (m heat) regionsAt(sx, sy float64) []region {
	regions := m.regions()
	for i := range regions {
		q := &regions[i].quad
		for _, p := range []*point{&q.origin, &q.along, &q.down} {
			p.x, p.y = p.x*sx, p.y*sy
		}
	}
	return regions
}

// detectScale is the scale at which the detector sees a page of w×h pixels: an A4
// page or smaller so that A4 would be 1280 pixels high (side 1280 found 99.6 % of 8
// point text, 1120 98 %, 960 78 %; 1920 was no better), narrow strips as if they were
// cut from such a page, larger pictures as if they were scanned at 300 dots per inch.
// Small pictures are enlarged a little, since they are often pages at screen
// resolution.
func detectScale(w, h int) float64 {
	long, short := float64(max(w, h)), float64(min(w, h))
	scale := max(a4Long/long, min(1, a4Short/short))
	return min(maxEnlarge, max(scale, a4Long/scanLong))
}

// heat is a map of the probability that a pixel belongs to the core of a text line,
// in 1/255.
type heat struct {
	p    []uint8
	w, h int
}

// heat runs the detector over a picture, in tiles where it is large, and stitches the
// maps together before any box is made, so that no line is cut by a tile.
func (r *Reader) heat(p picture) (heat, error) { return r.heatOf(p, tiles(p.w, p.h)) }

// heatOf is the map of some tiles; elsewhere it is 0.
func (r *Reader) heatOf(p picture, tiles []tile) (heat, error) {
	out := heat{make([]uint8, p.w*p.h), p.w, p.h}
	defer r.runtime.Trim() // lines need a tenth of what a page needs
	for _, t := range tiles {
		if err := r.heatTile(p, t, out); err != nil {
			return heat{}, err
		}
	}
	return out, nil
}

func (r *Reader) heatTile(p picture, t tile, out heat) error {
	w, h := roundUp(t.seen.Dx()+2*tileMargin, netStride), roundUp(t.seen.Dy()+2*tileMargin, netStride)
	fill := func(in []float32) { fillTile(in, p, t, w, h) }
	var bad error
	err := r.detection.Run([]int{1, 3, h, w}, fill, func(got []float32, shape []int) {
		if !slices.Equal(shape, []int{1, 1, h, w}) {
			bad = fmt.Errorf("read: the detector gave a map of shape %v", shape)
			return
		}
		for y := t.core.Min.Y; y < t.core.Max.Y; y++ {
			row := got[(y-t.seen.Min.Y+tileMargin)*w-t.seen.Min.X+tileMargin:]
			for x := t.core.Min.X; x < t.core.Max.X; x++ {
				out.p[y*out.w+x] = uint8(min(1, max(0, row[x]))*255 + 0.5)
			}
		}
	})
	if err == nil {
		err = bad
	}
	return err
}

// fillTile writes the net's input: three planes in the order blue, green, red, the
// pixels of the tile in the middle of the picture's border colour.
func fillTile(in []float32, p picture, t tile, w, h int) {
	border := p.borderColour()
	for plane := range 3 {
		c := min(2-plane, p.channels-1)
		var table [256]float32
		for i := range table {
			table[i] = (float32(i)/255 - detectMean[plane]) / detectDeviation[plane]
		}
		dst := in[plane*w*h : (plane+1)*w*h]
		for i := range dst {
			dst[i] = table[border[c]]
		}
		for y := t.seen.Min.Y; y < t.seen.Max.Y; y++ {
			row := dst[(y-t.seen.Min.Y+tileMargin)*w+tileMargin:]
			src := p.pix[y*p.stride+t.seen.Min.X*p.step+c:]
			for x := range t.seen.Dx() {
				row[x] = table[src[x*p.step]]
			}
		}
	}
}

// borderColour is the median colour along the picture's edge: what lies around it
// then looks like its paper.
func (p picture) borderColour() (out [3]uint8) {
	for c := range p.channels {
		var count [256]int
		n := 0
		add := func(x, y int) { count[p.pix[y*p.stride+x*p.step+c]]++; n++ }
		for x := range p.w {
			add(x, 0)
			add(x, p.h-1)
		}
		for y := range p.h {
			add(0, y)
			add(p.w-1, y)
		}
		out[c] = median(count, n)
	}
	return out
}

// median of n values counted by value.
func median(count [256]int, n int) uint8 {
	for v, below := 0, 0; v < 256; v++ {
		if below += count[v]; 2*below >= n {
			return uint8(v)
		}
	}
	return 255
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

package read

import (
	"slices"

	"blotter/internal/document"
)

// The detector takes the grain of an empty radiograph for small print. In grain a pixel
// says nothing of its neighbour, nor does a block of pixels of the next one; a stroke of a
// letter goes on for as long as the letter is high.

// withoutNoise drops the regions that show nothing but grain.
func (v view) withoutNoise(regions []region) []region {
	return slices.DeleteFunc(regions, func(g region) bool {
		box := v.turn.ToAsset(g.bounds(v.w, v.h), v.w, v.h)
		return v.picture.noise(box, min(g.length(), g.height()))
	})
}

// noise reports whether the pixels around a line of some height are uncorrelated in every
// channel, at each scale up to a sixth of the line: in large letters strokes show through
// grain that hides them in a single pixel's surroundings.
func (p picture) noise(box document.Box, height float64) bool {
	for k := 1; k == 1 || k <= noiseScales && float64(6*k) <= height; k++ {
		window := box.Grow(max(0, (k*noiseWindow-min(box.W, box.H)+1)/2), p.w, p.h)
		for c := range p.channels {
			across, down := p.correlation(window, c, k)
			if max(across, down) >= noiseMost {
				return false
			}
		}
	}
	return !box.Empty()
}

// correlation tells how alike neighbouring blocks of k×k pixels of a box are, −1 to 1, along
// rows and columns; 1 where all are equal, and where there are too few to tell.
func (p picture) correlation(box document.Box, channel, k int) (across, down float64) {
	w, h := box.W/k, box.H/k
	if w < noiseFewest || h < noiseFewest {
		return 1, 1
	}
	blocks, mean := make([]float64, w*h), 0.0
	for y := range h * k {
		row := p.pix[(box.Y+y)*p.stride+box.X*p.step+channel:]
		for x := range w * k {
			blocks[y/k*w+x/k] += float64(row[x*p.step])
		}
	}
	for _, b := range blocks {
		mean += b / float64(w*h)
	}
	variance := 0.0
	for i, b := range blocks {
		blocks[i] = b - mean
		variance += blocks[i] * blocks[i]
	}
	if variance == 0 {
		return 1, 1
	}
	for y := range h {
		for x := range w {
			b := blocks[y*w+x]
			if x+1 < w {
				across += b * blocks[y*w+x+1]
			}
			if y+1 < h {
				down += b * blocks[(y+1)*w+x]
			}
		}
	}
	return across / variance, down / variance
}

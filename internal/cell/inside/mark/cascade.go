package mark

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
)

// cascadeFile is the face detector of PICO (Markuš et al., "Object detection with pixel
// intensity comparisons organized in decision trees", 2014) as pigo carries it; see
// licences.
//
//go:embed data/facefinder
var cascadeFile []byte

// cascade is a row of small decision trees that compare pixels in pairs. Most windows
// are refused by the first few.
type cascade struct {
	depth int
	trees []tree
}

type tree struct {
	tests     []test    // 1 to 2^depth − 1; the first is unused
	leaves    []float32 // 2^depth
	threshold float32   // refuse when the sum so far is not above it
}

// test compares two pixels, given in 1/256 of the window's side from its middle.
type test struct{ y1, x1, y2, x2 int8 }

var errCascade = errors.New("mark: the embedded cascade is damaged")

// parseCascade reads PICO's binary form: eight bytes that are not used, the depth, the
// number of trees, then each tree's tests, leaves and threshold.
func parseCascade(b []byte) (*cascade, error) {
	if len(b) < 16 {
		return nil, errCascade
	}
	c := &cascade{depth: int(binary.LittleEndian.Uint32(b[8:]))}
	n := int(binary.LittleEndian.Uint32(b[12:]))
	if b = b[16:]; c.depth < 1 || c.depth > 8 {
		return nil, errCascade
	}
	leaves := 1 << c.depth
	size := 4*(leaves-1) + 4*leaves + 4
	if n < 1 || n > 4096 || len(b) != n*size {
		return nil, errCascade
	}
	for ; len(b) > 0; b = b[size:] {
		c.trees = append(c.trees, parseTree(b[:size], leaves))
	}
	return c, nil
}

func parseTree(b []byte, leaves int) tree {
	t := tree{tests: make([]test, leaves), leaves: make([]float32, leaves)}
	for i := 1; i < leaves; i, b = i+1, b[4:] {
		t.tests[i] = test{int8(b[0]), int8(b[1]), int8(b[2]), int8(b[3])}
	}
	for i := range t.leaves {
		t.leaves[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	t.threshold = math.Float32frombits(binary.LittleEndian.Uint32(b[4*leaves:]))
	return t
}

// fitted is the cascade for windows of one side and tilt in rasters of one width: each
// test is a pair of distances from the middle pixel. Trees are fitted when a window first
// comes so far: on a page of text none does.
type fitted struct {
	*cascade
	pairs    [][2]int32 // 2^depth for each tree fitted so far
	width    int
	sin, cos int // of the tilt, times the side, times 256
}

func (c *cascade) fit(side, width int, tilt float64) *fitted {
	sin, cos := math.Sincos(tilt)
	round := func(v float64) int { return int(math.Round(v * float64(side) * 256)) }
	return &fitted{cascade: c, width: width, sin: round(sin), cos: round(cos)}
}

func (f *fitted) fitTree(i int) {
	for _, p := range f.trees[i].tests {
		f.pairs = append(f.pairs, [2]int32{f.place(p.y1, p.x1), f.place(p.y2, p.x2)})
	}
}

func (f *fitted) place(y, x int8) int32 {
	dy := (f.cos*int(y) + f.sin*int(x)) >> 16
	dx := (f.cos*int(x) - f.sin*int(y)) >> 16
	return int32(dy*f.width + dx)
}

// score judges the window around the pixel at an index: above 0 it may be a face. The
// window must lie inside the raster.
func (f *fitted) score(pix []uint8, middle int32) float32 {
	var sum float32
	leaves := 1 << f.depth
	for i := range f.trees {
		if len(f.pairs) == i<<f.depth {
			f.fitTree(i)
		}
		pairs := f.pairs[i<<f.depth : (i+1)<<f.depth]
		at := 1
		for range f.depth {
			p := pairs[at]
			at *= 2
			if pix[middle+p[0]] <= pix[middle+p[1]] {
				at++
			}
		}
		t := &f.trees[i]
		if sum += t.leaves[at-leaves]; sum <= t.threshold {
			return -1
		}
	}
	return sum - f.trees[len(f.trees)-1].threshold
}

package rewrite

import (
	"fmt"
	"slices"
)

// A detector adds coarse maps, enlarged to the size of fine ones, and convolves the
// sum. Convolution is linear, and four pixels of an enlarged map are one number, so
// that the coarse part can be convolved before it is enlarged: with two rows and
// columns of weights in place of three, and without a large map in between. On a page
// of 1312×928 that is a third of the detector's arithmetic and most of its memory.

// splitEnlarged rewrites each convolution of 3×3 whose input is the sum, or the
// concatenation, of a map and of maps enlarged by even factors.
func (g *graph) splitEnlarged() {
	for _, n := range slices.Clone(g.nodes) {
		c, ok := g.convolution(n)
		if !ok || !c.square(3) {
			continue
		}
		if !g.splitSum(c) {
			g.splitConcat(c)
		}
	}
}

// square reports whether a convolution has a kernel of size×size in one group, step 1,
// and an output of its input's size.
func (c convolution) square(size int64) bool {
	if _, auto := c.attribute("auto_pad"); auto || c.group() != 1 || c.dims[2] != size || c.dims[3] != size {
		return false
	}
	return c.all("strides", 1) && c.all("dilations", 1) && (c.all("pads", size/2) || size == 1 && !c.pads())
}

// all reports whether every number of an attribute, which may be absent where that
// means one, is v.
func (n *node) all(name string, v int64) bool {
	a, ok := n.attribute(name)
	if !ok {
		return v == 1 && name != "pads"
	}
	return !slices.ContainsFunc(a.ints, func(i int64) bool { return i != v })
}

// splitSum makes conv(near + enlarge(far)) conv(near) + shuffle(conv(far)).
func (g *graph) splitSum(c convolution) bool {
	sum := g.producer(c.in[0])
	if sum == nil || sum.op != "Add" || len(sum.in) != 2 || g.onlyUser(c.in[0]) != c.node {
		return false
	}
	for i, name := range sum.in {
		far, factor, ok := g.enlarged(name)
		if !ok || factor != 2 || g.onlyUser(name) != sum {
			continue
		}
		g.producer(name).dead, sum.dead = true, true
		g.addFar(c, sum.in[1-i], c.weights, far, c.weights)
		return true
	}
	return false
}

// splitConcat does the same to a concatenation: what is enlarged by more than two is
// enlarged by half as much first.
func (g *graph) splitConcat(c convolution) bool {
	cat := g.producer(c.in[0])
	if cat == nil || cat.op != "Concat" || g.onlyUser(c.in[0]) != c.node {
		return false
	}
	if axis, ok := cat.attribute("axis"); !ok || axis.i != 1 {
		return false
	}
	var near, far []string
	var nearColumns, farColumns []int
	var before []*node
	column := 0
	for _, name := range cat.in {
		next := column + int(g.channels(name))
		if next == column || next > int(c.dims[1]) {
			return false
		}
		if x, factor, ok := g.enlarged(name); ok && factor%2 == 0 && g.onlyUser(name) == cat {
			if factor > 2 {
				before = append(before, g.enlarger(g.producer(name), name+".half", factor/2))
				x = name + ".half"
			}
			far, farColumns = append(far, x), append(farColumns, from(column, next)...)
		} else {
			near, nearColumns = append(near, name), append(nearColumns, from(column, next)...)
		}
		column = next
	}
	if column != int(c.dims[1]) || len(near) == 0 || len(far) == 0 {
		return false
	}
	for _, name := range cat.in {
		if _, _, ok := g.enlarged(name); ok {
			g.producer(name).dead = true
		}
	}
	cat.dead = true
	nearName, farName := c.in[0]+".near", c.in[0]+".far"
	before = append(before, concat(near, nearName), concat(far, farName))
	g.insert(c.node, before...)
	g.addFar(c, nearName, c.columns(nearColumns), farName, c.columns(farColumns))
	return true
}

// addFar makes c read near alone and adds what the weights make of far, at half the
// size.
func (g *graph) addFar(c convolution, near string, nearWeights []float32, far string, farWeights []float32) {
	out := c.out[0]
	nearOut, farOut := out+".near", out+".far"
	outputs, taps := c.dims[0], int64(9)
	after := g.phases(farWeights, outputs, int64(len(farWeights))/outputs/taps, far, farOut)
	c.weights, c.dims = nearWeights, []int64{outputs, int64(len(nearWeights)) / outputs / taps, 3, 3}
	c.in[0], c.out = near, []string{nearOut}
	c.node.out = c.out
	g.store(c)
	c.node.in = c.in
	after = append(after, &node{op: "Add", in: []string{nearOut, farOut}, out: []string{out}})
	g.insertAfter(c.node, after...)
}

// phases convolves a map as if it had been enlarged by two: one convolution of 2×2 for
// each of the four places that a fine pixel has in a coarse one, and a shuffle.
func (g *graph) phases(weights []float32, outputs, inputs int64, in, out string) (nodes []*node) {
	var names []string
	for phase := range int64(4) {
		name := fmt.Sprintf("%s.%d", out, phase)
		g.set(name+".weights", newTensor(phaseWeights(weights, phase>>1, phase&1), outputs, inputs, 2, 2))
		down, right := phase>>1, phase&1
		nodes = append(nodes, &node{op: "Conv", in: []string{in, name + ".weights"}, out: []string{name}, attributes: []attribute{
			integersAttribute("kernel_shape", 2, 2), integersAttribute("pads", 1-down, 1-right, down, right),
		}})
		names = append(names, name)
	}
	return append(nodes, concat(names, out+".all"), shuffle(out+".all", out, 2))
}

// phaseWeights adds up the weights of a 3×3 kernel that meet the same coarse pixel.
func phaseWeights(weights []float32, down, right int64) []float32 {
	meets := [2][3]int{{0, 1, 1}, {0, 0, 1}} // which of two coarse rows a fine kernel's rows fall on
	out := make([]float32, len(weights)/9*4)
	for i, w := range weights {
		kernel, y, x := i/9, i%9/3, i%3
		out[kernel*4+meets[down][y]*2+meets[right][x]] += w
	}
	return out
}

// enlarged returns what a value enlarges by a whole factor, each pixel a square.
func (g *graph) enlarged(name string) (from string, factor int64, ok bool) {
	n := g.producer(name)
	if n == nil || n.op != "Resize" || len(n.in) != 3 {
		return "", 0, false
	}
	mode, _ := n.attribute("mode")
	place, _ := n.attribute("coordinate_transformation_mode")
	nearest, _ := n.attribute("nearest_mode")
	s, ok := g.constants[n.in[2]].values()
	if !ok || mode.s != "nearest" || place.s != "asymmetric" || nearest.s != "floor" || len(s) != 4 {
		return "", 0, false
	}
	factor = int64(s[2])
	if s[0] != 1 || s[1] != 1 || s[2] != s[3] || float32(factor) != s[2] || factor < 2 {
		return "", 0, false
	}
	return n.in[0], factor, true
}

// enlarger is a node like another that enlarges, by another factor.
func (g *graph) enlarger(like *node, out string, factor int64) *node {
	g.set(out+".scales", newTensor([]float32{1, 1, float32(factor), float32(factor)}, 4))
	return &node{op: like.op, in: []string{like.in[0], like.in[1], out + ".scales"}, out: []string{out},
		attributes: like.attributes, rest: like.rest}
}

// channels is the number of channels of a value, followed back to the convolution that
// it comes from; 0 where that cannot be seen.
func (g *graph) channels(name string) int64 {
	for range len(g.nodes) {
		n := g.producer(name)
		if n == nil {
			return 0
		}
		if c, ok := g.convolution(n); ok {
			return c.dims[0]
		}
		if !slices.Contains([]string{"Add", "Mul", "Resize", "Relu"}, n.op) || len(n.in) == 0 {
			return 0
		}
		name = n.in[0]
	}
	return 0
}

// columns picks the weights of some input channels.
func (c convolution) columns(which []int) (out []float32) {
	inputs, taps := int(c.dims[1]), int(c.dims[2]*c.dims[3])
	for o := range int(c.dims[0]) {
		for _, i := range which {
			at := (o*inputs + i) * taps
			out = append(out, c.weights[at:at+taps]...)
		}
	}
	return out
}

func from(a, b int) (out []int) {
	for i := a; i < b; i++ {
		out = append(out, i)
	}
	return out
}

func concat(in []string, out string) *node {
	return &node{op: "Concat", in: in, out: []string{out}, attributes: []attribute{integerAttribute("axis", 1)}}
}

// shuffle makes a pixel of block×block out of as many groups of channels.
func shuffle(in, out string, block int64) *node {
	return &node{op: "DepthToSpace", in: []string{in}, out: []string{out}, attributes: []attribute{
		integerAttribute("blocksize", block), stringAttribute("mode", "DCR"),
	}}
}

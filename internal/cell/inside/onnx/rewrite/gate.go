package rewrite

import "slices"

// A gate (squeeze and excitation) multiplies each channel of a map by a number that
// depends on the map's means. Where the map is a convolution of 1×1 that makes many
// channels of few, and all that reads it is another convolution, the three are one
// convolution of the few, whose weights are computed once for each picture.

// foldGates rewrites conv(m + m·gate(mean(m))), m being a convolution of 1×1 without
// bias, as a convolution of m's input.
func (g *graph) foldGates() {
	for _, n := range slices.Clone(g.nodes) {
		if c, ok := g.convolution(n); ok && c.group() == 1 {
			g.foldGate(c)
		}
	}
}

func (g *graph) foldGate(c convolution) {
	sum := g.producer(c.in[0])
	if sum == nil || sum.op != "Add" || len(sum.in) != 2 || g.onlyUser(c.in[0]) != c.node {
		return
	}
	gated := g.producer(sum.in[1])
	if gated == nil || gated.op != "Mul" || len(gated.in) != 2 || gated.in[0] != sum.in[0] || g.onlyUser(sum.in[1]) != sum {
		return
	}
	wide, ok := g.convolution(g.producer(sum.in[0]))
	if !ok || !wide.square(1) || 2*wide.dims[1] > wide.dims[0] || slices.ContainsFunc(wide.bias, func(b float32) bool { return b != 0 }) {
		return
	}
	var mean *node
	for _, u := range g.users(wide.out[0]) {
		if u.op == "GlobalAveragePool" && len(u.out) == 1 && mean == nil {
			mean = u
		} else if u != sum && u != gated {
			return
		}
	}
	if mean == nil || slices.Contains(g.outputs, wide.out[0]) || gated.in[1] == wide.out[0] {
		return
	}
	g.meanFirst(wide, mean)
	g.insert(c.node, g.gatedWeights(c, wide, gated.in[1])...)
	c.node.in = slices.Clone(c.node.in)
	c.node.in[0], c.node.in[1] = wide.in[0], c.out[0]+".gated"
	sum.dead, gated.dead, wide.dead = true, true, true
}

// meanFirst takes the mean of the few channels: the mean of a convolution of 1×1 is the
// convolution of the mean.
func (g *graph) meanFirst(wide convolution, mean *node) {
	few := mean.out[0] + ".few"
	g.insertAfter(mean,
		&node{op: "GlobalAveragePool", in: []string{wide.in[0]}, out: []string{few}},
		&node{op: "Conv", in: []string{few, wide.in[1]}, out: mean.out, attributes: []attribute{integersAttribute("kernel_shape", 1, 1)}})
	mean.dead = true
}

// gatedWeights computes c's weights · (1 + gate) · wide's weights: the channels that
// both share are the last dimension of the one and the first of the other.
func (g *graph) gatedWeights(c, wide convolution, gate string) []*node {
	name := c.out[0] + ".gated"
	outputs, shared, rows, columns := c.dims[0], c.dims[1], c.dims[2], c.dims[3]
	taps := int(rows * columns)
	last := make([]float32, 0, len(c.weights))
	for o := range int(outputs) {
		for tap := range taps {
			for i := range int(shared) {
				last = append(last, c.weights[(o*int(shared)+i)*taps+tap])
			}
		}
	}
	g.set(name+".c", newTensor(last, outputs, rows, columns, shared))
	g.set(name+".wide", newTensor(wide.weights, shared, wide.dims[1]))
	g.set(name+".shape", newIntegers(1, 1, 1, shared))
	g.set(name+".one", newTensor([]float32{1}, 1))
	return []*node{
		{op: "Reshape", in: []string{gate, name + ".shape"}, out: []string{name + ".row"}},
		{op: "Add", in: []string{name + ".row", name + ".one"}, out: []string{name + ".gate"}},
		{op: "Mul", in: []string{name + ".c", name + ".gate"}, out: []string{name + ".open"}},
		{op: "MatMul", in: []string{name + ".open", name + ".wide"}, out: []string{name + ".last"}},
		{op: "Transpose", in: []string{name + ".last"}, out: []string{name}, attributes: []attribute{integersAttribute("perm", 0, 3, 1, 2)}},
	}
}

package rewrite

import (
	"errors"
	"slices"
)

// A recogniser of lines ends with a matrix over thousands of classes for each step along the
// line, the addition of a bias, and a softmax over all of it: a seventh of its time, most of
// it passing the memory three times. The same as one convolution of 1×1, its bias included,
// without the softmax, takes less than half of that; whoever reads the scores needs only a few of
// the probabilities.

// Scores is Model for a recogniser of lines whose output is a softmax over classes at each
// step. The copy gives the scores before the softmax, in another order: 1 × classes × 1 ×
// steps. The error says that the bytes are no such model.
func Scores(model []byte) ([]byte, error) {
	g, err := parse(model)
	if err != nil {
		return nil, err
	}
	if !g.convolveHead() {
		return nil, errors.New("rewrite: the model does not end with a softmax over classes of a line")
	}
	g.shorten()
	return g.save(), nil
}

// convolveHead replaces squeeze, transposition, matrix, bias and softmax.
func (g *graph) convolveHead() bool {
	if len(g.outputs) != 1 {
		return false
	}
	softmax := g.producer(g.outputs[0])
	if softmax == nil || softmax.op != "Softmax" || len(softmax.in) != 1 || len(softmax.out) != 1 {
		return false
	}
	add := g.before(softmax, "Add", 2)
	product := g.before(add, "MatMul", 2)
	turn := g.before(product, "Transpose", 1)
	squeeze := g.before(turn, "Squeeze", 1)
	if squeeze == nil {
		return false
	}
	axes, _ := squeeze.attribute("axes")
	perm, _ := turn.attribute("perm")
	if !slices.Equal(axes.ints, []int64{2}) || !slices.Equal(perm.ints, []int64{0, 2, 1}) {
		return false
	}
	weights, ok := g.constants[product.in[1]].values()
	bias, biased := g.constants[add.in[1]].values()
	if !ok || !biased || len(bias) == 0 || len(weights)%len(bias) != 0 {
		return false
	}
	classes, channels := int64(len(bias)), int64(len(weights)/len(bias))
	if !slices.Equal(g.constants[product.in[1]].dims, []int64{channels, classes}) {
		return false
	}
	out := softmax.out[0]
	g.set(out+".weights", newTensor(transposed(weights, len(bias)), classes, channels, 1, 1))
	g.set(out+".bias", newTensor(bias, classes))
	g.insert(softmax, &node{op: "Conv", in: []string{squeeze.in[0], out + ".weights", out + ".bias"}, out: []string{out},
		attributes: []attribute{integersAttribute("kernel_shape", 1, 1)}})
	for _, n := range []*node{softmax, add, product, turn, squeeze} {
		n.dead = true
	}
	g.results[0] = tensorInfo(out) // of another shape than it was
	return true
}

// before is the node of an operator, with a number of inputs, that makes the first input of
// another and is read by that one alone; nil where there is none.
func (g *graph) before(n *node, op string, inputs int) *node {
	if n == nil {
		return nil
	}
	p := g.producer(n.in[0])
	if p == nil || p.op != op || len(p.in) != inputs || len(p.out) != 1 || g.onlyUser(p.out[0]) != n {
		return nil
	}
	return p
}

// transposed swaps rows and columns of a matrix.
func transposed(m []float32, columns int) []float32 {
	rows := len(m) / columns
	out := make([]float32, len(m))
	for i, v := range m {
		out[i%columns*rows+i/columns] = v
	}
	return out
}

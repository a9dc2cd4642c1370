// Package rewrite makes a convolutional ONNX model cheaper to run without changing
// what it computes. The models' exporter leaves, after each convolution, a scalar
// multiplication and addition, the hard-swish activation spelt out in four nodes, and
// another scalar pair; together they cost a third of the run time. Scalars move into
// the weights beside them and the activation becomes the pair HardSigmoid, Mul, which
// ONNX Runtime fuses into one kernel. In a detector the maps that it enlarges before it
// convolves them cost as much again, above all in memory; they are convolved first.
//
// Outputs differ from the original's by rounding alone (about 2e-6). Models are
// trusted (pinned by digest), and still a malformed one gives an error, never a panic.
package rewrite

import (
	"errors"
	"slices"
)

// Model returns a rewritten copy of an ONNX model. A model with subgraphs is returned
// as it is. The error says that the bytes are no ONNX model.
func Model(model []byte) ([]byte, error) {
	g, err := parse(model)
	if errors.Is(err, errSubgraph) {
		return model, nil
	}
	if err != nil {
		return nil, err
	}
	if len(g.nodes) == 0 {
		return nil, errors.New("rewrite: no graph in the model")
	}
	g.shorten()
	return g.save(), nil
}

// shorten does all that leaves the outputs what they are.
func (g *graph) shorten() {
	g.foldIntoConvolutionsBefore()
	g.shortenHardSwish()
	g.foldIntoConvolutionsAfter()
	g.foldNormalisations()
	g.shuffleTransposed()
	g.splitEnlarged()
	g.foldGates()
}

// users are the live nodes that read a value.
func (g *graph) users(name string) []*node {
	var out []*node
	for _, n := range g.nodes {
		if !n.dead && slices.Contains(n.in, name) {
			out = append(out, n)
		}
	}
	return out
}

// onlyUser returns the one node that reads a value which is no output of the graph,
// or nil.
func (g *graph) onlyUser(name string) *node {
	u := g.users(name)
	if len(u) != 1 || slices.Contains(g.outputs, name) {
		return nil
	}
	return u[0]
}

// producer is the live node that makes a value, or nil.
func (g *graph) producer(name string) *node {
	for _, n := range g.nodes {
		if !n.dead && slices.Contains(n.out, name) {
			return n
		}
	}
	return nil
}

// redirect makes every reader of a value read another.
func (g *graph) redirect(from, to string) {
	for _, n := range g.nodes {
		for i, name := range n.in {
			if name == from {
				n.in[i] = to
			}
		}
	}
}

// scalar returns the value of a constant of one element that broadcasts over any
// four-dimensional value without changing its shape.
func (g *graph) scalar(name string) (float32, bool) {
	t := g.constants[name]
	v, ok := t.values()
	if !ok || len(v) != 1 || len(t.dims) > 4 {
		return 0, false
	}
	return v[0], true
}

// withScalar takes apart a node "x op scalar" (for Add and Mul also "scalar op x")
// whose result is no output of the graph.
func (g *graph) withScalar(n *node, op string) (x string, s float32, ok bool) {
	if n == nil || n.op != op || len(n.in) != 2 || len(n.out) != 1 || slices.Contains(g.outputs, n.out[0]) {
		return "", 0, false
	}
	if s, ok = g.scalar(n.in[1]); ok {
		return n.in[0], s, true
	}
	if op == "Div" {
		return "", 0, false
	}
	s, ok = g.scalar(n.in[0])
	return n.in[1], s, ok
}

// insert puts nodes before another.
func (g *graph) insert(before *node, nodes ...*node) {
	g.nodes = slices.Insert(g.nodes, slices.Index(g.nodes, before), nodes...)
}

// insertAfter puts nodes behind another.
func (g *graph) insertAfter(after *node, nodes ...*node) {
	g.nodes = slices.Insert(g.nodes, slices.Index(g.nodes, after)+1, nodes...)
}

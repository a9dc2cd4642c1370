package rewrite

import (
	"fmt"
	"math"
	"slices"
)

// convolution is a Conv node with its constant weights.
type convolution struct {
	*node
	dims    []int64 // outputs, inputs of a group, height, width of the kernel
	weights []float32
	bias    []float32 // one for each output
}

// convolution reads a Conv node; false where it is none or its weights are computed.
func (g *graph) convolution(n *node) (convolution, bool) {
	if n == nil || n.dead || n.op != "Conv" || len(n.in) < 2 || len(n.out) != 1 {
		return convolution{}, false
	}
	w, ok := g.constants[n.in[1]].values()
	if !ok {
		return convolution{}, false
	}
	c := convolution{node: n, dims: g.constants[n.in[1]].dims, weights: w}
	if len(c.dims) != 4 || len(w) == 0 || c.group() < 1 || c.group() > c.dims[0] {
		return convolution{}, false
	}
	if len(n.in) < 3 || n.in[2] == "" {
		c.bias = make([]float32, c.dims[0])
		return c, true
	}
	c.bias, ok = g.constants[n.in[2]].values()
	return c, ok && int64(len(c.bias)) == c.dims[0]
}

// store gives the node new weights of its own, since constants may be shared.
func (g *graph) store(c convolution) {
	w, b := c.out[0]+".weights", c.out[0]+".bias"
	g.set(w, newTensor(c.weights, c.dims...))
	g.set(b, newTensor(c.bias, c.dims[0]))
	c.in = []string{c.in[0], w, b}
}

// pads reports whether the convolution sees anything but its input: a zero outside
// the input is not shifted when the input is.
func (c convolution) pads() bool {
	if _, auto := c.attribute("auto_pad"); auto {
		return true
	}
	a, _ := c.attribute("pads")
	for _, p := range a.ints {
		if p != 0 {
			return true
		}
	}
	return false
}

// inputs is the number of channels that the convolution reads.
func (c convolution) inputs() int64 { return c.dims[1] * c.group() }

func (c convolution) group() int64 {
	if a, ok := c.attribute("group"); ok {
		return a.i
	}
	return 1
}

// foldIntoConvolutionsBefore moves the scalar multiplications and additions that
// follow a convolution into its weights and bias.
func (g *graph) foldIntoConvolutionsBefore() {
	for _, n := range g.nodes {
		for {
			c, ok := g.convolution(n)
			if !ok || !g.foldNext(c) {
				break
			}
		}
	}
}

func (g *graph) foldNext(c convolution) bool {
	next := g.onlyUser(c.out[0])
	if _, s, ok := g.withScalar(next, "Mul"); ok {
		for i := range c.weights {
			c.weights[i] *= s
		}
		for i := range c.bias {
			c.bias[i] *= s
		}
	} else if _, s, ok := g.withScalar(next, "Add"); ok {
		for i := range c.bias {
			c.bias[i] += s
		}
	} else {
		return false
	}
	g.store(c)
	next.dead = true
	g.redirect(next.out[0], c.out[0])
	return true
}

// shortenHardSwish replaces x·clip(x+3, 0, 6)/6 by x·HardSigmoid(x), slope 1/6 and
// offset 1/2.
func (g *graph) shortenHardSwish() {
	var nodes []*node
	for _, n := range g.nodes {
		nodes = append(nodes, n)
		x, chain, ok := g.hardSwish(n)
		if !ok {
			continue
		}
		for _, dead := range chain {
			dead.dead = true
		}
		h := n.out[0] + ".gate"
		nodes = append(nodes,
			&node{op: "HardSigmoid", in: []string{x}, out: []string{h},
				attributes: []attribute{floatAttribute("alpha", 1.0/6), floatAttribute("beta", 0.5)}},
			&node{op: "Mul", in: []string{x, h}, out: []string{n.out[0]}})
	}
	g.nodes = nodes
}

// hardSwish recognises the activation by its last node, the division by six. It
// returns what is activated and the nodes that do it.
func (g *graph) hardSwish(div *node) (x string, chain []*node, ok bool) {
	if div.dead {
		return "", nil, false
	}
	product, six, ok := g.withScalar(div, "Div")
	if !ok || six != 6 || g.onlyUser(product) != div {
		return "", nil, false
	}
	mul := g.producer(product)
	if mul == nil || mul.op != "Mul" || len(mul.in) != 2 || g.onlyUser(mul.in[1]) != mul {
		return "", nil, false
	}
	clip := g.producer(mul.in[1])
	if low, high, ok := g.clip(clip); !ok || low != 0 || high != 6 || g.onlyUser(clip.in[0]) != clip {
		return "", nil, false
	}
	add := g.producer(clip.in[0])
	x, three, ok := g.withScalar(add, "Add")
	if !ok || three != 3 || x != mul.in[0] {
		return "", nil, false
	}
	return x, []*node{div, mul, clip, add}, true
}

// clip returns the limits of a Clip node: attributes up to operator set 10, constant
// inputs since.
func (g *graph) clip(n *node) (low, high float32, ok bool) {
	if n == nil || n.op != "Clip" {
		return 0, 0, false
	}
	if len(n.in) == 1 {
		least, ok0 := n.attribute("min")
		most, ok6 := n.attribute("max")
		return least.f, most.f, ok0 && ok6
	}
	if len(n.in) != 3 {
		return 0, 0, false
	}
	low, ok0 := g.scalar(n.in[1])
	high, ok6 := g.scalar(n.in[2])
	return low, high, ok0 && ok6
}

// foldIntoConvolutionsAfter moves a scalar multiplication, and the addition behind
// it, into the weights of the convolutions that read the result, where nothing else
// does.
func (g *graph) foldIntoConvolutionsAfter() {
	var nodes []*node
	for _, n := range g.nodes {
		nodes = append(nodes, n)
		x, scale, ok := g.withScalar(n, "Mul")
		if n.dead || !ok || scale == 0 {
			continue
		}
		last, shift := n, float32(0)
		next := g.onlyUser(n.out[0])
		if _, s, ok := g.withScalar(next, "Add"); ok {
			last, shift = next, s
		}
		readers, padded, ok := g.readers(last.out[0])
		if !ok {
			continue
		}
		n.dead, last.dead = true, true
		for _, c := range readers {
			g.foldInput(c, scale, shift, padded)
		}
		if padded && shift != 0 {
			nodes = append(nodes, g.shifter(x, last.out[0], shift/scale, readers[0].inputs()))
		} else {
			g.redirect(last.out[0], x)
		}
	}
	g.nodes = nodes
}

// readers returns the convolutions that read a value, and whether any of them pads;
// false where there are none, or anything else reads it.
func (g *graph) readers(name string) (out []convolution, padded, ok bool) {
	for _, u := range g.users(name) {
		c, ok := g.convolution(u)
		if !ok || c.in[0] != name {
			return nil, false, false
		}
		padded = padded || c.pads()
		out = append(out, c)
	}
	return out, padded, len(out) > 0
}

// foldInput makes c read x where it read scale·x + shift; with keepShift it reads
// x + shift/scale.
func (g *graph) foldInput(c convolution, scale, shift float32, keepShift bool) {
	per := len(c.weights) / len(c.bias)
	for o := range c.bias {
		sum := 0.0
		for k := o * per; k < (o+1)*per; k++ {
			sum += float64(c.weights[k])
			c.weights[k] *= scale
		}
		if !keepShift {
			c.bias[o] += float32(sum * float64(shift))
		}
	}
	g.store(c)
}

// shifter is a node that adds a number to each channel. It is a batch normalisation
// because ONNX Runtime runs that, unlike an addition, in its blocked memory layout.
func (g *graph) shifter(in, out string, shift float32, channels int64) *node {
	fill := func(name string, v float32) string {
		values := make([]float32, channels)
		for i := range values {
			values[i] = v
		}
		g.set(name, newTensor(values, channels))
		return name
	}
	one, zero := fill(fmt.Sprintf("one.%d", channels), 1), fill(fmt.Sprintf("zero.%d", channels), 0)
	return &node{op: "BatchNormalization", in: []string{in, one, fill(out+".shift", shift), zero, one},
		out: []string{out}, attributes: []attribute{floatAttribute("epsilon", 0)}}
}

// foldNormalisations moves the batch normalisation behind a convolution into it.
func (g *graph) foldNormalisations() {
	for _, n := range g.nodes {
		c, ok := g.convolution(n)
		if !ok {
			continue
		}
		next := g.onlyUser(c.out[0])
		scale, shift, ok := g.normalisation(next)
		if !ok || len(scale) != len(c.bias) {
			continue
		}
		per := len(c.weights) / len(c.bias)
		for i := range c.weights {
			c.weights[i] *= scale[i/per]
		}
		for o := range c.bias {
			c.bias[o] = c.bias[o]*scale[o] + shift[o]
		}
		g.store(c)
		next.dead = true
		g.redirect(next.out[0], c.out[0])
	}
}

// normalisation reads a batch normalisation whose result is no output of the graph as
// one factor and one shift for each channel.
func (g *graph) normalisation(n *node) (scale, shift []float32, ok bool) {
	if n == nil || n.dead || n.op != "BatchNormalization" || len(n.in) != 5 || len(n.out) != 1 || slices.Contains(g.outputs, n.out[0]) {
		return nil, nil, false
	}
	epsilon := float32(1e-5)
	if a, ok := n.attribute("epsilon"); ok {
		epsilon = a.f
	}
	var v [4][]float32 // scale, shift, mean, variance
	for i := range v {
		if v[i], ok = g.constants[n.in[i+1]].values(); !ok || len(v[i]) != len(v[0]) {
			return nil, nil, false
		}
	}
	scale, shift = v[0], v[1]
	for i := range scale {
		scale[i] /= float32(math.Sqrt(float64(v[3][i] + epsilon)))
		shift[i] -= v[2][i] * scale[i]
	}
	return scale, shift, true
}

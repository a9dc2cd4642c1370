package rewrite

import "slices"

// A transposed convolution of 2×2 with step 2 gives each pixel four neighbours of its
// own: it is a convolution of 1×1 with four times the outputs, shuffled into place.
// What follows it pixel by pixel may as well happen before the shuffle, at a quarter of
// the size and without passing the memory for each small step.

// chain is a run of such layers, of which the last is not written out yet.
type chain struct {
	g        *graph
	nodes    []*node
	in       string // what the pending convolution reads
	weights  []float32
	bias     []float32 // nil where nothing is pending
	channels int64     // of the shuffled map
	block    int64     // how far a pixel of it has been spread
}

// shuffleTransposed rewrites chains of transposed convolutions.
func (g *graph) shuffleTransposed() {
	for _, n := range slices.Clone(g.nodes) {
		w, outputs, ok := g.doubling(n)
		if !ok {
			continue
		}
		c := &chain{g: g, in: n.in[0], block: 1, channels: int64(len(w)) / outputs / 4}
		c.double(w, outputs)
		last := n
		for u := g.onlyUser(last.out[0]); c.take(u); u = g.onlyUser(last.out[0]) {
			last.dead = true
			last = u
		}
		last.dead = true
		c.write(last.out[0] + ".spread")
		c.nodes = append(c.nodes, shuffle(c.in, last.out[0], c.block))
		g.insertAfter(last, c.nodes...)
	}
}

// doubling reads a transposed convolution of 2×2 with step 2: its weights (inputs,
// outputs, 2, 2) and the number of outputs.
func (g *graph) doubling(n *node) (weights []float32, outputs int64, ok bool) {
	if n == nil || n.dead || n.op != "ConvTranspose" || len(n.in) != 2 || len(n.out) != 1 {
		return nil, 0, false
	}
	weights, ok = g.constants[n.in[1]].values()
	if !ok || len(weights) == 0 {
		return nil, 0, false
	}
	dims := g.constants[n.in[1]].dims
	plain := len(dims) == 4 && dims[2] == 2 && dims[3] == 2
	for _, a := range n.attributes {
		switch a.name {
		case "strides":
			plain = plain && n.all("strides", 2)
		case "pads", "output_padding":
			plain = plain && n.all(a.name, 0)
		case "dilations":
			plain = plain && n.all("dilations", 1)
		case "group":
			plain = plain && a.i == 1
		case "kernel_shape":
		default:
			plain = false
		}
	}
	if _, steps := n.attribute("strides"); !plain || !steps {
		return nil, 0, false
	}
	return weights, dims[1], true
}

// take adds a layer to the chain, or reports that it does not fit.
func (c *chain) take(n *node) bool {
	if n == nil || len(n.out) != 1 {
		return false
	}
	switch n.op {
	case "Add":
		return c.takeShift(n)
	case "BatchNormalization":
		scale, shift, ok := c.g.normalisation(n)
		return ok && c.scale(scale, shift)
	case "Relu", "Sigmoid":
		c.write(n.out[0] + ".before")
		c.nodes = append(c.nodes, &node{op: n.op, in: []string{c.in}, out: []string{n.out[0] + ".spread"}})
		c.in = n.out[0] + ".spread"
		return true
	case "ConvTranspose":
		w, outputs, ok := c.g.doubling(n)
		if !ok || c.block > 2 || int64(len(w)) != c.channels*outputs*4 {
			return false
		}
		c.write(n.in[0] + ".before")
		c.double(w, outputs)
		return true
	}
	return false
}

// takeShift takes the addition of one number for each channel.
func (c *chain) takeShift(n *node) bool {
	if len(n.in) != 2 {
		return false
	}
	t := c.g.constants[n.in[1]]
	v, ok := t.values()
	if !ok || int64(len(v)) != c.channels || !(slices.Equal(t.dims, []int64{1, c.channels, 1, 1}) || len(v) == 1 && len(t.dims) <= 4) {
		return false
	}
	one := make([]float32, len(v))
	for i := range one {
		one[i] = 1
	}
	return c.scale(one, v)
}

// scale multiplies and shifts the channels of the pending convolution.
func (c *chain) scale(scale, shift []float32) bool {
	if c.bias == nil || int64(len(scale)) != c.channels || int64(len(shift)) != c.channels {
		return false
	}
	inputs := len(c.weights) / len(c.bias)
	for row := range c.bias {
		ch := row % int(c.channels)
		c.bias[row] = c.bias[row]*scale[ch] + shift[ch]
		for i := row * inputs; i < (row+1)*inputs; i++ {
			c.weights[i] *= scale[ch]
		}
	}
	return true
}

// double makes the pending convolution one that spreads each pixel once more. Its
// outputs are ordered as a shuffle wants them: row, column, channel; each is made of
// the inputs of the pixel that it was part of.
func (c *chain) double(weights []float32, outputs int64) {
	inputs, b := c.channels, c.block
	c.weights = make([]float32, 4*b*b*outputs*b*b*inputs)
	c.bias = make([]float32, 4*b*b*outputs)
	for row := range int64(len(c.bias)) {
		place, o := row/outputs, row%outputs
		y, x := place/(2*b), place%(2*b)
		group := (y/2)*b + x/2
		for i := range inputs {
			c.weights[row*b*b*inputs+group*inputs+i] = weights[((i*outputs+o)*2+y%2)*2+x%2]
		}
	}
	c.channels, c.block = outputs, 2*b
}

// write puts the pending convolution, if there is one, into the graph.
func (c *chain) write(out string) {
	if c.bias == nil {
		return
	}
	rows := int64(len(c.bias))
	c.g.set(out+".weights", newTensor(c.weights, rows, int64(len(c.weights))/rows, 1, 1))
	c.g.set(out+".bias", newTensor(c.bias, rows))
	c.nodes = append(c.nodes, &node{op: "Conv", in: []string{c.in, out + ".weights", out + ".bias"}, out: []string{out},
		attributes: []attribute{integersAttribute("kernel_shape", 1, 1)}})
	c.in, c.weights, c.bias = out, nil, nil
}

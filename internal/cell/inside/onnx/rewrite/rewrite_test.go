package rewrite

import (
	"errors"
	"slices"
	"testing"
)

// model builds input → Conv → Mul 2 → Add 1 → output in ONNX's own bytes.
func model() []byte {
	g := &graph{constants: map[string]*tensor{}}
	g.set("w", newTensor([]float32{3}, 1, 1, 1, 1))
	g.set("two", newTensor([]float32{2}, 1))
	g.set("one", newTensor([]float32{1}))
	g.nodes = []*node{
		{op: "Conv", in: []string{"x", "w"}, out: []string{"c"}},
		{op: "Mul", in: []string{"c", "two"}, out: []string{"m"}},
		{op: "Add", in: []string{"one", "m"}, out: []string{"a"}},
		{op: "Relu", in: []string{"a"}, out: []string{"y"}},
	}
	g.results = [][]byte{tensorInfo("y")}
	return g.save()
}

func TestScalarsMoveIntoTheConvolution(t *testing.T) {
	out, err := Model(model())
	if err != nil {
		t.Fatal(err)
	}
	g, err := parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.nodes) != 2 || g.nodes[0].op != "Conv" || g.nodes[1].op != "Relu" {
		t.Fatalf("%d nodes left, want Conv and Relu", len(g.nodes))
	}
	c, ok := g.convolution(g.nodes[0])
	if !ok || c.weights[0] != 6 || c.bias[0] != 1 {
		t.Errorf("weights %v and bias %v, want 6 and 1", c.weights, c.bias)
	}
}

// The activation is spelt out in two dialects: the limits of Clip are attributes up to
// operator set 10, inputs since.
func TestBothDialectsOfHardSwishAreShortened(t *testing.T) {
	for name, clip := range map[string]*node{
		"inputs":     {op: "Clip", in: []string{"a", "zero", "six"}, out: []string{"k"}},
		"attributes": {op: "Clip", in: []string{"a"}, out: []string{"k"}, attributes: []attribute{floatAttribute("min", 0), floatAttribute("max", 6)}},
		"other":      {op: "Clip", in: []string{"a"}, out: []string{"k"}, attributes: []attribute{floatAttribute("min", 0), floatAttribute("max", 5)}},
	} {
		g := &graph{constants: map[string]*tensor{}}
		g.set("three", newTensor([]float32{3}))
		g.set("six", newTensor([]float32{6}))
		g.set("zero", newTensor([]float32{0}))
		g.nodes = []*node{
			{op: "Add", in: []string{"x", "three"}, out: []string{"a"}},
			clip,
			{op: "Mul", in: []string{"x", "k"}, out: []string{"m"}},
			{op: "Div", in: []string{"m", "six"}, out: []string{"d"}},
			{op: "Relu", in: []string{"d"}, out: []string{"y"}},
		}
		g.results = [][]byte{tensorInfo("y")}
		out, err := Model(g.save())
		if err != nil {
			t.Fatal(err)
		}
		if g, err = parse(out); err != nil {
			t.Fatal(err)
		}
		if short := g.nodes[0].op == "HardSigmoid"; short != (name != "other") {
			t.Errorf("%s: %d nodes, the first is %s", name, len(g.nodes), g.nodes[0].op)
		}
	}
}

// rewritten saves a graph of nodes and constants with output y, rewrites it, and
// returns the operators that are left.
func rewritten(t *testing.T, constants map[string]*tensor, nodes ...*node) (ops []string) {
	t.Helper()
	g := &graph{constants: map[string]*tensor{}, nodes: nodes}
	for name, c := range constants {
		g.set(name, c)
	}
	g.results = [][]byte{tensorInfo("y")}
	out, err := Model(g.save())
	if err != nil {
		t.Fatal(err)
	}
	if g, err = parse(out); err != nil {
		t.Fatal(err)
	}
	for _, n := range g.nodes {
		ops = append(ops, n.op)
	}
	return ops
}

func zeros(dims ...int64) *tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return newTensor(make([]float32, n), dims...)
}

func conv(in, weights, out string, size int64) *node {
	return &node{op: "Conv", in: []string{in, weights}, out: []string{out}, attributes: []attribute{
		integersAttribute("kernel_shape", size, size), integersAttribute("pads", size/2, size/2, size/2, size/2),
	}}
}

func enlarging(in, out, mode string) *node {
	return &node{op: "Resize", in: []string{in, "roi", "scales"}, out: []string{out}, attributes: []attribute{
		stringAttribute("mode", mode), stringAttribute("coordinate_transformation_mode", "asymmetric"), stringAttribute("nearest_mode", "floor"),
	}}
}

func TestEnlargedMapsAreConvolvedFirst(t *testing.T) {
	constants := map[string]*tensor{
		"w": zeros(8, 4, 3, 3), "w2": zeros(8, 8, 3, 3), "one": zeros(4, 2, 1, 1), "roi": zeros(0), "scales": newTensor([]float32{1, 1, 2, 2}, 4),
	}
	four := []string{"Conv", "Conv", "Conv", "Conv", "Concat", "DepthToSpace"}
	for name, c := range map[string]struct {
		nodes []*node
		want  []string
	}{
		"sum": {[]*node{enlarging("b", "r", "nearest"), {op: "Add", in: []string{"a", "r"}, out: []string{"s"}}, conv("s", "w", "y", 3)},
			slices.Concat([]string{"Conv"}, four, []string{"Add"})},
		"smooth": {[]*node{enlarging("b", "r", "linear"), {op: "Add", in: []string{"a", "r"}, out: []string{"s"}}, conv("s", "w", "y", 3)},
			[]string{"Resize", "Add", "Conv"}},
		"concatenation": {[]*node{conv("p", "one", "a", 1), conv("q", "one", "b", 1), enlarging("b", "r", "nearest"), concat([]string{"r", "a"}, "s"), conv("s", "w2", "y", 3)},
			slices.Concat([]string{"Conv", "Conv", "Concat", "Concat", "Conv"}, four, []string{"Add"})},
	} {
		if got := rewritten(t, constants, c.nodes...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPhaseWeightsAddUp(t *testing.T) {
	k := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for phase, want := range [][]float32{{1, 5, 11, 28}, {3, 3, 24, 15}, {5, 16, 7, 17}, {12, 9, 15, 9}} {
		if got := phaseWeights(k, int64(phase>>1), int64(phase&1)); !slices.Equal(got, want) {
			t.Errorf("phase %d: %v, want %v", phase, got, want)
		}
	}
}

func TestTransposedConvolutionsAreShuffledOnce(t *testing.T) {
	doubling := func(in, w, out string, step int64) *node {
		return &node{op: "ConvTranspose", in: []string{in, w}, out: []string{out}, attributes: []attribute{integersAttribute("strides", step, step)}}
	}
	constants := map[string]*tensor{"w": zeros(3, 5, 2, 2), "v": zeros(5, 1, 2, 2), "shift": zeros(1, 5, 1, 1), "map": zeros(1, 5, 1, 7)}
	add := func(what string) *node { return &node{op: "Add", in: []string{"c", what}, out: []string{"d"}} }
	relu := &node{op: "Relu", in: []string{"d"}, out: []string{"e"}}
	if got, want := rewritten(t, constants, doubling("x", "w", "c", 2), add("shift"), relu, doubling("e", "v", "y", 2)),
		[]string{"Conv", "Relu", "Conv", "DepthToSpace"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := rewritten(t, constants, doubling("x", "w", "c", 2), add("map"), relu, doubling("e", "v", "y", 3)),
		[]string{"Conv", "DepthToSpace", "Add", "Relu", "ConvTranspose"}; !slices.Equal(got, want) {
		t.Errorf("a sum of another kind, and another step: %v, want %v", got, want)
	}
}

func TestGatesMoveIntoWeights(t *testing.T) {
	gated := func(bias *tensor) []string {
		return rewritten(t, map[string]*tensor{"few": zeros(8, 2, 1, 1), "bias": bias, "w": zeros(3, 8, 3, 3)},
			&node{op: "Conv", in: []string{"x", "few", "bias"}, out: []string{"c"}, attributes: []attribute{integersAttribute("pads", 0, 0, 0, 0)}},
			&node{op: "GlobalAveragePool", in: []string{"c"}, out: []string{"mean"}},
			&node{op: "HardSigmoid", in: []string{"mean"}, out: []string{"gate"}},
			&node{op: "Mul", in: []string{"c", "gate"}, out: []string{"m"}},
			&node{op: "Add", in: []string{"c", "m"}, out: []string{"s"}},
			conv("s", "w", "y", 3))
	}
	if got, want := gated(zeros(8)), []string{"GlobalAveragePool", "Conv", "HardSigmoid", "Reshape", "Add", "Mul", "MatMul", "Transpose", "Conv"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := gated(newTensor([]float32{1, 0, 0, 0, 0, 0, 0, 0}, 8)); len(got) != 6 {
		t.Errorf("a bias under a padded kernel was moved: %v", got)
	}
}

func TestOutputsStay(t *testing.T) {
	g, err := parse(model())
	if err != nil {
		t.Fatal(err)
	}
	g.results = append(g.results, tensorInfo("m"))
	out, err := Model(g.save())
	if err != nil {
		t.Fatal(err)
	}
	if g, err = parse(out); err != nil || g.producer("m") == nil {
		t.Errorf("an output of the graph was folded away (%v)", err)
	}
}

func TestSubgraphsAreLeftAlone(t *testing.T) {
	sub := appendBytes(appendBytes(nil, attrName, "then_branch"), attrGraph, "")
	n := appendBytes(appendBytes(nil, nodeOp, "If"), nodeAttribute, sub)
	m := appendBytes(nil, modelGraph, appendBytes(nil, graphNode, n))
	if _, err := parse(m); !errors.Is(err, errSubgraph) {
		t.Fatalf("parse: %v", err)
	}
	out, err := Model(m)
	if err != nil || string(out) != string(m) {
		t.Errorf("the model was changed (%v)", err)
	}
}

// FuzzModel: whatever the bytes, an error or a model that can be read again.
func FuzzModel(f *testing.F) {
	f.Add(model())
	f.Add([]byte{})
	f.Add([]byte{0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := Model(b)
		if err != nil {
			return
		}
		if _, err := parse(out); err != nil && !errors.Is(err, errSubgraph) {
			t.Errorf("a rewritten model cannot be read: %v", err)
		}
	})
}

// line builds x → Squeeze → Transpose → MatMul → Add → Softmax → y over three classes of two
// channels.
func line(axis int64) []byte {
	g := &graph{constants: map[string]*tensor{}}
	g.set("w", newTensor([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	g.set("b", newTensor([]float32{7, 8, 9}, 3))
	g.nodes = []*node{
		{op: "Squeeze", in: []string{"x"}, out: []string{"s"}, attributes: []attribute{integersAttribute("axes", axis)}},
		{op: "Transpose", in: []string{"s"}, out: []string{"t"}, attributes: []attribute{integersAttribute("perm", 0, 2, 1)}},
		{op: "MatMul", in: []string{"t", "w"}, out: []string{"m"}},
		{op: "Add", in: []string{"m", "b"}, out: []string{"a"}},
		{op: "Softmax", in: []string{"a"}, out: []string{"y"}},
	}
	g.results = [][]byte{tensorInfo("y")}
	return g.save()
}

func TestClassesOfALineBecomeAConvolution(t *testing.T) {
	out, err := Scores(line(2))
	if err != nil {
		t.Fatal(err)
	}
	g, err := parse(out)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := g.convolution(g.nodes[0])
	if !ok || len(g.nodes) != 1 || c.in[0] != "x" || !slices.Equal(g.outputs, []string{"y"}) {
		t.Fatalf("%d nodes left, the first is %s", len(g.nodes), g.nodes[0].op)
	}
	if !slices.Equal(c.weights, []float32{1, 4, 2, 5, 3, 6}) || !slices.Equal(c.bias, []float32{7, 8, 9}) || !slices.Equal(c.dims, []int64{3, 2, 1, 1}) {
		t.Errorf("weights %v of %v, bias %v", c.weights, c.dims, c.bias)
	}
	for name, other := range map[string][]byte{"another axis": line(3), "no such end": model(), "nothing": nil} {
		if _, err := Scores(other); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

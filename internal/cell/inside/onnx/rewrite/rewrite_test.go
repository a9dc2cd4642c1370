package rewrite

import (
	"errors"
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
	g.rest = appendBytes(nil, graphOutput, appendBytes(nil, valueName, "y"))
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
		g.rest = appendBytes(nil, graphOutput, appendBytes(nil, valueName, "y"))
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

func TestOutputsStay(t *testing.T) {
	g, err := parse(model())
	if err != nil {
		t.Fatal(err)
	}
	g.rest = appendBytes(g.rest, graphOutput, appendBytes(nil, valueName, "m"))
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

package rewrite

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Field numbers of onnx.proto (ONNX IR version 10) that are read here.
const (
	modelGraph = 7

	graphNode, graphInitializer, graphOutput, graphValueInfo = 1, 5, 12, 13

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute = 1, 2, 3, 4, 5

	attrName, attrFloat, attrInt, attrString, attrTensor, attrGraph, attrInts, attrGraphs, attrType = 1, 2, 3, 4, 5, 6, 8, 11, 20

	tensorDims, tensorType, tensorFloats, tensorName, tensorRaw = 1, 2, 4, 8, 9

	valueName, valueType, typeTensor, tensorElement = 1, 2, 1, 1

	typeFloat, typeInteger = 1, 7 // TensorProto.DataType: 32-bit float, 64-bit integer

	kindFloat, kindInt, kindString, kindInts = 1, 2, 3, 7 // AttributeProto.AttributeType
)

// errSubgraph: an If or Loop sees the names of the graph around it, which a rewrite
// would have to follow.
var errSubgraph = errors.New("rewrite: the graph holds subgraphs")

// graph is a model taken apart as far as a rewrite needs; everything else is carried
// verbatim.
type graph struct {
	model     []byte // the model's other fields
	rest      []byte // the graph's other fields
	nodes     []*node
	constants map[string]*tensor
	order     []string // of constants
	outputs   []string
	results   [][]byte // what the model says of each output
}

type node struct {
	op, name   string
	in, out    []string
	attributes []attribute
	rest       []byte
	dead       bool
}

type attribute struct {
	name  string
	f     float32
	i     int64
	s     string
	ints  []int64
	whole []byte // the attribute's message
}

// tensor is a constant. message is its TensorProto; a name appended to it wins over
// an earlier one.
type tensor struct {
	message []byte
	dims    []int64
	kind    int64
	floats  []byte // little endian, where kind is typeFloat
}

func parse(model []byte) (*graph, error) {
	g := &graph{constants: map[string]*tensor{}}
	err := fields(model, func(x field) error {
		if x.num != modelGraph {
			g.model = append(g.model, x.whole...)
			return nil
		}
		return fields(x.data, g.add)
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

func (g *graph) add(x field) error {
	switch x.num {
	case graphNode:
		return g.addNode(x.data)
	case graphInitializer:
		t, name, err := parseTensor(x.data)
		if err == nil {
			g.set(name, t)
		}
		return err
	case graphValueInfo: // shapes of intermediate values: optional, and no longer true
		return nil
	case graphOutput:
		g.results = append(g.results, x.data)
		return fields(x.data, func(x field) error {
			if x.num == valueName {
				g.outputs = append(g.outputs, string(x.data))
			}
			return nil
		})
	}
	g.rest = append(g.rest, x.whole...)
	return nil
}

func (g *graph) addNode(b []byte) error {
	n := &node{}
	var constant *tensor
	err := fields(b, func(x field) error {
		switch x.num {
		case nodeInput:
			n.in = append(n.in, string(x.data))
		case nodeOutput:
			n.out = append(n.out, string(x.data))
		case nodeName:
			n.name = string(x.data)
		case nodeOp:
			n.op = string(x.data)
		case nodeAttribute:
			a, t, err := parseAttribute(x.data)
			if err != nil {
				return err
			}
			n.attributes = append(n.attributes, a)
			if a.name == "value" {
				constant = t
			}
		default:
			n.rest = append(n.rest, x.whole...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n.op == "Constant" && constant != nil && len(n.out) == 1 && !slices.Contains(g.outputs, n.out[0]) {
		g.set(n.out[0], constant)
		return nil
	}
	g.nodes = append(g.nodes, n)
	return nil
}

func parseAttribute(b []byte) (a attribute, t *tensor, err error) {
	a.whole = b
	err = fields(b, func(x field) error {
		var err error
		switch x.num {
		case attrName:
			a.name = string(x.data)
		case attrFloat:
			if x.wire != fixed32 {
				return errWire
			}
			a.f = math.Float32frombits(binary.LittleEndian.Uint32(x.data))
		case attrInt:
			a.i = int64(x.value)
		case attrString:
			a.s = string(x.data)
		case attrInts:
			var v []int64
			v, err = x.integers()
			a.ints = append(a.ints, v...)
		case attrTensor:
			t, _, err = parseTensor(x.data)
		case attrGraph, attrGraphs:
			err = errSubgraph
		}
		return err
	})
	return a, t, err
}

func parseTensor(b []byte) (t *tensor, name string, err error) {
	t = &tensor{message: b}
	err = fields(b, func(x field) error {
		switch x.num {
		case tensorDims:
			v, err := x.integers()
			t.dims = append(t.dims, v...)
			return err
		case tensorType:
			t.kind = int64(x.value)
		case tensorFloats: // packed, or one value a field: the bytes are the same
			t.floats = append(t.floats, x.data...)
		case tensorName:
			name = string(x.data)
		case tensorRaw:
			t.floats = x.data
		}
		return nil
	})
	return t, name, err
}

// newTensor makes a tensor of 32-bit floats.
func newTensor(values []float32, dims ...int64) *tensor {
	t := &tensor{dims: dims, kind: typeFloat, floats: make([]byte, 0, 4*len(values))}
	for _, v := range values {
		t.floats = binary.LittleEndian.AppendUint32(t.floats, math.Float32bits(v))
	}
	for _, d := range dims {
		t.message = appendInt(t.message, tensorDims, uint64(d))
	}
	t.message = appendInt(t.message, tensorType, typeFloat)
	t.message = appendBytes(t.message, tensorRaw, t.floats)
	return t
}

// tensorInfo says of a value that it is a tensor of 32-bit floats, of some shape.
func tensorInfo(name string) []byte {
	b := appendBytes(nil, valueName, name)
	return appendBytes(b, valueType, appendBytes(nil, typeTensor, appendInt(nil, tensorElement, typeFloat)))
}

// newIntegers makes a tensor of 64-bit integers in one dimension.
func newIntegers(values ...int64) *tensor {
	t := &tensor{dims: []int64{int64(len(values))}, kind: typeInteger}
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	t.message = appendInt(t.message, tensorDims, uint64(len(values)))
	t.message = appendInt(t.message, tensorType, typeInteger)
	t.message = appendBytes(t.message, tensorRaw, raw)
	return t
}

// values returns a copy of a float tensor's numbers, or false where t is nil, of
// another type, or does not hold what its dimensions say.
func (t *tensor) values() ([]float32, bool) {
	if t == nil || t.kind != typeFloat {
		return nil, false
	}
	size := int64(1)
	for _, d := range t.dims {
		if d < 0 || (d > 0 && size > int64(len(t.floats))/d) {
			return nil, false
		}
		size *= d
	}
	if size*4 != int64(len(t.floats)) {
		return nil, false
	}
	out := make([]float32, size)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.floats[4*i:]))
	}
	return out, true
}

func (g *graph) set(name string, t *tensor) {
	if _, ok := g.constants[name]; !ok {
		g.order = append(g.order, name)
	}
	g.constants[name] = t
}

// save puts the model together again, without dead nodes and constants nobody uses.
func (g *graph) save() []byte {
	var out []byte
	used := map[string]bool{}
	for _, n := range g.nodes {
		if n.dead {
			continue
		}
		out = appendBytes(out, graphNode, n.save())
		for _, name := range n.in {
			used[name] = true
		}
	}
	for _, name := range g.order {
		if used[name] {
			message := slices.Clone(g.constants[name].message)
			out = appendBytes(out, graphInitializer, appendBytes(message, tensorName, name))
		}
	}
	for _, r := range g.results {
		out = appendBytes(out, graphOutput, r)
	}
	out = append(out, g.rest...)
	return appendBytes(slices.Clone(g.model), modelGraph, out)
}

func (n *node) save() []byte {
	var b []byte
	for _, s := range n.in {
		b = appendBytes(b, nodeInput, s)
	}
	for _, s := range n.out {
		b = appendBytes(b, nodeOutput, s)
	}
	b = appendBytes(b, nodeName, n.name)
	b = appendBytes(b, nodeOp, n.op)
	for _, a := range n.attributes {
		b = appendBytes(b, nodeAttribute, a.whole)
	}
	return append(b, n.rest...)
}

func (n *node) attribute(name string) (attribute, bool) {
	for _, a := range n.attributes {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

func floatAttribute(name string, v float32) attribute {
	b := appendBytes(nil, attrName, name)
	b = appendFloat(b, attrFloat, v)
	b = appendInt(b, attrType, kindFloat)
	return attribute{name: name, f: v, whole: b}
}

func integerAttribute(name string, v int64) attribute {
	b := appendBytes(nil, attrName, name)
	b = appendInt(b, attrInt, uint64(v))
	b = appendInt(b, attrType, kindInt)
	return attribute{name: name, i: v, whole: b}
}

func integersAttribute(name string, v ...int64) attribute {
	b := appendBytes(nil, attrName, name)
	for _, i := range v {
		b = appendInt(b, attrInts, uint64(i))
	}
	b = appendInt(b, attrType, kindInts)
	return attribute{name: name, ints: v, whole: b}
}

func stringAttribute(name, v string) attribute {
	b := appendBytes(nil, attrName, name)
	b = appendBytes(b, attrString, v)
	b = appendInt(b, attrType, kindString)
	return attribute{name: name, s: v, whole: b}
}

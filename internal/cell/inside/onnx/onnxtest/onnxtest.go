// Package onnxtest writes tiny ONNX models for tests, byte by byte, so that what a test
// of a model expects can be read in the test.
package onnxtest

import (
	"encoding/binary"
	"math"
)

// Numbers of onnx.proto (IR version 8, operators of version 13) that are written here.
const (
	modelVersion, modelGraph, modelOperators = 1, 7, 8
	operatorsVersion                         = 2

	graphNode, graphName, graphInitializer, graphInput, graphOutput = 1, 2, 5, 11, 12

	nodeInput, nodeOutput, nodeOp, nodeAttribute = 1, 2, 4, 5
	attributeName, attributeInt, attributeType   = 1, 3, 20

	tensorDims, tensorType, tensorName, tensorRaw = 1, 2, 8, 9

	valueName, valueType               = 1, 2
	typeTensor, typeElement, typeShape = 1, 1, 2
	shapeDim, dimValue, dimName        = 1, 1, 2

	float32s, int64s = 1, 7
	kindInt          = 2
)

// Classifier is a token classifier that knows its answer for each token by heart:
// logits[id] are the scores of the labels for the token with that number, all rows of
// one length. It takes input_ids, attention_mask and token_type_ids of shape [1, n] and
// gives logits of shape [1, n, labels]. The scores of a token whose mask is 0 are 0,
// and its type is added to them, so that a caller who fills these wrongly is seen.
func Classifier(logits [][]float32) []byte {
	labels := len(logits[0])
	var table []byte
	for _, row := range logits {
		for _, v := range row {
			table = binary.LittleEndian.AppendUint32(table, math.Float32bits(v))
		}
	}
	var g []byte
	for _, n := range [][]byte{
		node("Gather", "table", "input_ids", "found"),
		cast("attention_mask", "mask"),
		node("Unsqueeze", "mask", "last", "mask3"),
		node("Mul", "found", "mask3", "masked"),
		cast("token_type_ids", "types"),
		node("Unsqueeze", "types", "last", "types3"),
		node("Add", "masked", "types3", "logits"),
	} {
		g = appendBytes(g, graphNode, n)
	}
	g = appendBytes(g, graphName, []byte("classifier"))
	g = appendBytes(g, graphInitializer, tensor("table", float32s, table, len(logits), labels))
	g = appendBytes(g, graphInitializer, tensor("last", int64s, binary.LittleEndian.AppendUint64(nil, 2), 1))
	for _, name := range []string{"input_ids", "attention_mask", "token_type_ids"} {
		g = appendBytes(g, graphInput, value(name, int64s, dimension("batch", 0), dimension("length", 0)))
	}
	g = appendBytes(g, graphOutput, value("logits", float32s, dimension("batch", 0), dimension("length", 0), dimension("", labels)))
	m := appendInt(nil, modelVersion, 8)
	m = appendBytes(m, modelGraph, g)
	return appendBytes(m, modelOperators, appendInt(nil, operatorsVersion, 13))
}

// node is a node whose last name is its output's.
func node(op string, names ...string) []byte {
	var b []byte
	for _, in := range names[:len(names)-1] {
		b = appendBytes(b, nodeInput, []byte(in))
	}
	b = appendBytes(b, nodeOutput, []byte(names[len(names)-1]))
	return appendBytes(b, nodeOp, []byte(op))
}

func cast(in, out string) []byte {
	to := appendBytes(nil, attributeName, []byte("to"))
	to = appendInt(to, attributeInt, float32s)
	to = appendInt(to, attributeType, kindInt)
	return appendBytes(node("Cast", in, out), nodeAttribute, to)
}

func tensor(name string, kind int, raw []byte, dims ...int) []byte {
	var b []byte
	for _, d := range dims {
		b = appendInt(b, tensorDims, d)
	}
	b = appendInt(b, tensorType, kind)
	b = appendBytes(b, tensorName, []byte(name))
	return appendBytes(b, tensorRaw, raw)
}

func value(name string, kind int, dims ...[]byte) []byte {
	var shape []byte
	for _, d := range dims {
		shape = appendBytes(shape, shapeDim, d)
	}
	t := appendBytes(appendInt(nil, typeElement, kind), typeShape, shape)
	return appendBytes(appendBytes(nil, valueName, []byte(name)), valueType, appendBytes(nil, typeTensor, t))
}

// dimension has a name where the input decides its size.
func dimension(name string, size int) []byte {
	if name != "" {
		return appendBytes(nil, dimName, []byte(name))
	}
	return appendInt(nil, dimValue, size)
}

// Wire types of protocol buffers.
const (
	varint = 0
	bytes  = 2
)

func appendInt(b []byte, field, v int) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|varint)
	return binary.AppendUvarint(b, uint64(v))
}

func appendBytes(b []byte, field int, v []byte) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|bytes)
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

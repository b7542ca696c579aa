package main

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers and types of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
const (
	modelGraph       = 7
	graphNode        = 1
	graphInitializer = 5
	nodeOutput       = 2
	nodeAttribute    = 5
	attributeTensor  = 5
	attributeGraph   = 6
	tensorDims       = 1
	tensorType       = 2
	tensorFloats     = 4
	tensorName       = 8
	tensorRaw        = 9
	typeFloat        = 1
)

// tensor is a constant of the network.
type tensor struct {
	name string
	dims []int
	kind uint64
	data []float32 // of typeFloat
}

// is reports whether t is the tensor of the 8 kHz branch whose name ends with suffix. The graph asks for the sample rate
// first: 16 kHz is its then branch, 8 kHz its else branch.
func (t *tensor) is(suffix string, dims []int) bool {
	return strings.Contains(t.name, "else_branch") && strings.HasSuffix(t.name, suffix) && slices.Equal(t.dims, dims)
}

// readModel returns the constants of all graphs of an ONNX model.
func readModel(model []byte) ([]tensor, error) {
	var tensors []tensor
	err := eachField(model, func(number protowire.Number, _ uint64, body []byte) error {
		if number != modelGraph {
			return nil
		}
		return readGraph(body, &tensors)
	})
	return tensors, err
}

func readGraph(graph []byte, tensors *[]tensor) error {
	return eachField(graph, func(number protowire.Number, _ uint64, body []byte) error {
		switch number {
		case graphInitializer:
			t, err := readTensor(body)
			*tensors = append(*tensors, t)
			return err
		case graphNode:
			return readNode(body, tensors)
		}
		return nil
	})
}

// readNode takes the tensors of a Constant node, which are named as its output is, and the graphs of a branch.
func readNode(node []byte, tensors *[]tensor) error {
	var output string
	var constants []tensor
	err := eachField(node, func(number protowire.Number, _ uint64, body []byte) error {
		switch number {
		case nodeOutput:
			output = string(body)
		case nodeAttribute:
			return eachField(body, func(number protowire.Number, _ uint64, body []byte) error {
				switch number {
				case attributeTensor:
					t, err := readTensor(body)
					constants = append(constants, t)
					return err
				case attributeGraph:
					return readGraph(body, tensors)
				}
				return nil
			})
		}
		return nil
	})
	for _, t := range constants {
		t.name = output
		*tensors = append(*tensors, t)
	}
	return err
}

func readTensor(text []byte) (tensor, error) {
	var t tensor
	var raw []byte
	err := eachField(text, func(number protowire.Number, value uint64, body []byte) error {
		switch number {
		case tensorDims:
			return t.readDims(value, body)
		case tensorType:
			t.kind = value
		case tensorFloats, tensorRaw:
			raw = body
		case tensorName:
			t.name = string(body)
		}
		return nil
	})
	if t.kind == typeFloat {
		for ; len(raw) >= 4; raw = raw[4:] {
			t.data = append(t.data, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		}
	}
	return t, err
}

// readDims takes one dimension, or all of them where they are packed.
func (t *tensor) readDims(value uint64, packed []byte) error {
	if packed == nil {
		t.dims = append(t.dims, int(value))
	}
	for len(packed) > 0 {
		dim, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			return protowire.ParseError(n)
		}
		t.dims, packed = append(t.dims, int(dim)), packed[n:]
	}
	return nil
}

// eachField calls do for each field of a message: with the value of a varint, with the body of a length-delimited field.
func eachField(message []byte, do func(number protowire.Number, value uint64, body []byte) error) error {
	for len(message) > 0 {
		number, wireType, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var value uint64
		var body []byte
		switch wireType {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			body, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, wireType, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := do(number, value, body); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

// Package onnxtest writes small ONNX models for tests, without Python or an ONNX library.
package onnxtest

import "google.golang.org/protobuf/encoding/protowire"

// Element types (TensorProto.DataType).
const (
	Float    = 1
	Uint8    = 2
	Int8     = 3
	Uint16   = 4
	Int16    = 5
	Int32    = 6
	Int64    = 7
	String   = 8
	Bool     = 9
	Float16  = 10
	Double   = 11
	Uint32   = 12
	Uint64   = 13
	BFloat16 = 16
)

// Model is a graph to be written.
type Model struct {
	Inputs       []Value
	Outputs      []Value
	Nodes        []Node
	Initializers []Initializer
	// Opset is 18 unless set, IRVersion 8, Producer "onnxtest".
	Opset     int64
	IRVersion int64
	Metadata  map[string]string
	// Domains are those of operators that are not ONNX's own, at version 1.
	Domains []string
}

// Value describes an input or output. A Dim is an int for a size, a string for
// a symbol, or nil for a dimension that nothing is known of. Dims nil means no
// shape at all; an empty list is a scalar.
type Value struct {
	Name string
	Type int
	Dims []any
	// Sequence makes it a sequence of tensors.
	Sequence bool
}

// Node is one operator. Attributes may be int64, float32, string and []int64.
type Node struct {
	Op         string
	Inputs     []string
	Outputs    []string
	Domain     string
	Attributes map[string]any
}

// Initializer is a weight with raw little-endian content, or one that lies in another file.
type Initializer struct {
	Name     string
	Type     int
	Dims     []int64
	Raw      []byte
	External string
}

// Dims makes a Value's Dims.
func Dims(dims ...any) []any { return append([]any{}, dims...) }

// Bytes is the model's file.
func (m Model) Bytes() []byte {
	var b []byte
	b = number(b, 1, orDefault(m.IRVersion, 8))
	b = text(b, 2, "onnxtest")
	b = message(b, 7, m.graph())
	b = message(b, 8, number(text(nil, 1, ""), 2, orDefault(m.Opset, 18)))
	for _, domain := range m.Domains {
		b = message(b, 8, number(text(nil, 1, domain), 2, 1))
	}
	for key, value := range m.Metadata {
		b = message(b, 14, text(text(nil, 1, key), 2, value))
	}
	return b
}

func (m Model) graph() []byte {
	var b []byte
	for _, n := range m.Nodes {
		b = message(b, 1, n.bytes())
	}
	b = text(b, 2, "test")
	for _, i := range m.Initializers {
		b = message(b, 5, i.bytes())
	}
	for _, v := range m.Inputs {
		b = message(b, 11, v.bytes())
	}
	for _, v := range m.Outputs {
		b = message(b, 12, v.bytes())
	}
	return b
}

func (v Value) bytes() []byte {
	tensor := number(nil, 1, int64(v.Type))
	if v.Dims != nil {
		tensor = message(tensor, 2, shape(v.Dims))
	}
	kind := message(nil, 1, tensor)
	if v.Sequence {
		kind = message(nil, 4, message(nil, 1, kind))
	}
	return message(text(nil, 1, v.Name), 2, kind)
}

func shape(dims []any) []byte {
	var b []byte
	for _, d := range dims {
		var dim []byte
		switch d := d.(type) {
		case int:
			dim = number(nil, 1, int64(d))
		case string:
			dim = text(nil, 2, d)
		}
		b = message(b, 1, dim)
	}
	return b
}

func (n Node) bytes() []byte {
	var b []byte
	for _, in := range n.Inputs {
		b = text(b, 1, in)
	}
	for _, out := range n.Outputs {
		b = text(b, 2, out)
	}
	b = text(b, 4, n.Op)
	for name, value := range n.Attributes {
		b = message(b, 5, attribute(name, value))
	}
	return text(b, 7, n.Domain)
}

// attribute writes an AttributeProto: the number of its type goes with its value.
func attribute(name string, value any) []byte {
	b := text(nil, 1, name)
	switch value := value.(type) {
	case int64:
		return number(number(b, 3, value), 20, 2)
	case float32:
		b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), bits(value))
		return number(b, 20, 1)
	case string:
		return number(text(b, 4, value), 20, 3)
	case []int64:
		for _, v := range value {
			b = number(b, 8, v)
		}
		return number(b, 20, 7)
	}
	return b
}

func (i Initializer) bytes() []byte {
	var b []byte
	for _, d := range i.Dims {
		b = number(b, 1, d)
	}
	b = number(b, 2, int64(i.Type))
	b = text(b, 8, i.Name)
	if i.External == "" {
		return message(b, 9, i.Raw)
	}
	b = message(b, 13, text(text(nil, 1, "location"), 2, i.External))
	return number(b, 14, 1)
}

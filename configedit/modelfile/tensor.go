package modelfile

import (
	"conch/configedit/modelconfig"
)

// Tensor describes an input or output of a model, in the words that formats share.
type Tensor struct {
	Name string
	// Kind is the kind of the value. Only TensorKind can be served.
	Kind Kind
	// Type is the config's name for the element type, or TYPE_INVALID if a config has no name for it.
	Type modelconfig.DataType
	// Shaped is false if the file does not give the shape of the value.
	Shaped bool
	// Inferred is true for an output of an ONNX file: where the file says -1, the shape inference of ONNX Runtime may know
	// the size. The session knows it, and Triton asks the session.
	Inferred bool `json:",omitempty"`
	Dims     []Dim
}

// Dim is one dimension: a size, or -1 with its symbol.
type Dim struct {
	Size   int64
	Symbol string
}

// Sizes are the sizes of the dimensions, -1 for those that vary.
func (t *Tensor) Sizes() []int64 {
	sizes := make([]int64, len(t.Dims))
	for i, d := range t.Dims {
		sizes[i] = d.Size
	}
	return sizes
}

// Takes reports whether a config may give the i-th dimension as this size. A free dimension takes every size, but in an output
// whose shape is known to the end: there the config must leave it free too.
func (t *Tensor) Takes(side string, i int, size int64) bool {
	free := t.Dims[i].Size == -1 && (side == "input" || t.Inferred)
	return free || t.Dims[i].Size == size
}

// TakesAll reports whether a config may give these dims.
func (t *Tensor) TakesAll(side string, dims []int64) bool {
	if len(dims) != len(t.Dims) {
		return false
	}
	for i, size := range dims {
		if !t.Takes(side, i, size) {
			return false
		}
	}
	return true
}

// Kind is the kind of value of an input or output.
type Kind int

// The kinds, with ONNX Runtime's numbers (ONNXType).
const (
	UnknownKind Kind = iota
	TensorKind
	SequenceKind
	MapKind
	OpaqueKind
	SparseTensorKind
	OptionalKind
)

// String is the name that Triton's messages use.
func (k Kind) String() string {
	names := [...]string{
		"ONNX_TYPE_UNKNOWN", "ONNX_TYPE_TENSOR", "ONNX_TYPE_SEQUENCE", "ONNX_TYPE_MAP",
		"ONNX_TYPE_OPAQUE", "ONNX_TYPE_SPARSETENSOR", "ONNX_TYPE_OPTIONAL",
	}
	if k < 0 || int(k) >= len(names) {
		return names[UnknownKind]
	}
	return names[k]
}

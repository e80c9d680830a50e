package modelfile

import (
	"conch/configedit/modelconfig"
)

// ONNX is what the header of an ONNX file contains: everything but the
// weights and the nodes.
type ONNX struct {
	IRVersion       int64
	Producer        string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	Doc             string
	GraphName       string
	Opsets          []Opset
	Metadata        []Entry
	// Inputs are those a caller must give: the graph's inputs that no initializer stands for.
	Inputs []Tensor
	// Overridable are inputs with an initializer: they may be given (IR version 4 and above).
	Overridable []Tensor
	Outputs     []Tensor
	// Nodes is the number of the graph's own nodes, and Operators are their operators, each once.
	Nodes     int
	Operators []Operator
	// Weights are the types of the initializers, as numbers of ONNX, each once.
	Weights []int64 `json:",omitempty"`
	// HalfCasts says that there are Casts with the names that ONNX Runtime's converter to FP16 gives to those at the inputs and outputs.
	HalfCasts bool `json:",omitempty"`
	// ExternalFiles are the files beside the model that hold weights, sorted, as the model names them.
	ExternalFiles []string
}

// Shaped reports whether the file gives every input and output a shape. Where it does
// not, only ONNX Runtime's shape inference can complete a config.
func (m *ONNX) Shaped() bool {
	for _, tensors := range [][]Tensor{m.Inputs, m.Outputs} {
		for _, t := range tensors {
			if t.Kind == TensorKind && !t.Shaped {
				return false
			}
		}
	}
	return true
}

// Settled reports whether shape inference adds nothing to what the file says: every output has a shape, and its free dimensions are
// those of inputs, by their symbols.
func (m *ONNX) Settled() bool {
	if !m.Shaped() {
		return false
	}
	known := map[string]bool{}
	for _, t := range m.Inputs {
		for _, d := range t.Dims {
			known[d.Symbol] = known[d.Symbol] || d.Symbol != ""
		}
	}
	for _, t := range m.Outputs {
		for _, d := range t.Dims {
			if t.Inferred && d.Size == -1 && !known[d.Symbol] {
				return false
			}
		}
	}
	return true
}

// Batchable reports whether every input and output begins with a dimension of any size.
func (m *ONNX) Batchable() bool {
	for _, tensors := range [][]Tensor{m.Inputs, m.Outputs} {
		for _, t := range tensors {
			if len(t.Dims) == 0 || t.Dims[0].Size != -1 {
				return false
			}
		}
	}
	return true
}

// Operator is the operation of a node.
type Operator struct {
	Name string
	// Node is the name of the first node with it.
	Node string
	// Type is the type of its first input where a Cast gives it, as a number of ONNX; 0 where that is not known.
	Type int64
}

// Opset is an operator set the model is written in; "" is ONNX's own domain.
type Opset struct {
	Domain  string
	Version int64
}

// Entry is a key and value of the model's metadata.
type Entry struct{ Key, Value string }

// ONNXDataType is the config's type for an element type number of ONNX
// (TensorProto.DataType, which ONNX Runtime's own numbers equal).
func ONNXDataType(elem int32) modelconfig.DataType {
	switch elem {
	case 1:
		return modelconfig.DataType_TYPE_FP32
	case 2:
		return modelconfig.DataType_TYPE_UINT8
	case 3:
		return modelconfig.DataType_TYPE_INT8
	case 4:
		return modelconfig.DataType_TYPE_UINT16
	case 5:
		return modelconfig.DataType_TYPE_INT16
	case 6:
		return modelconfig.DataType_TYPE_INT32
	case 7:
		return modelconfig.DataType_TYPE_INT64
	case 8:
		return modelconfig.DataType_TYPE_STRING
	case 9:
		return modelconfig.DataType_TYPE_BOOL
	case 10:
		return modelconfig.DataType_TYPE_FP16
	case 11:
		return modelconfig.DataType_TYPE_FP64
	case 12:
		return modelconfig.DataType_TYPE_UINT32
	case 13:
		return modelconfig.DataType_TYPE_UINT64
	case 16:
		return modelconfig.DataType_TYPE_BF16
	}
	return modelconfig.DataType_TYPE_INVALID
}

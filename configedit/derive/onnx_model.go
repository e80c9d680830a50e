package derive

import "conch/configedit/modelconfig"

// ONNXModel is what the header of an ONNX file tells: everything but the
// weights and the nodes.
type ONNXModel struct {
	IRVersion       int64
	Producer        string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	Doc             string
	GraphName       string
	Opsets          []ONNXOpset
	Metadata        []ONNXEntry
	// Inputs are those a caller must give: the graph's inputs that no initializer stands for.
	Inputs []ONNXTensor
	// Overridable are inputs with an initializer: they may be given (IR version 4 and above).
	Overridable []ONNXTensor
	Outputs     []ONNXTensor
	// Nodes is the number of the graph's own nodes.
	Nodes int
	// ExternalFiles are the files beside the model that hold weights, sorted, as the model names them.
	ExternalFiles []string
}

// ONNXOpset is an operator set the model is written in; "" is ONNX's own domain.
type ONNXOpset struct {
	Domain  string
	Version int64
}

// ONNXEntry is a key and value of the model's metadata.
type ONNXEntry struct{ Key, Value string }

// ONNXTensor describes an input or output of the graph.
type ONNXTensor struct {
	Name string
	// Kind is what the value is; anything but ONNXTensorKind cannot be served.
	Kind ONNXKind
	// Type is the config's name for the element type; TYPE_INVALID where a config has none for it.
	Type modelconfig.DataType
	// Shaped is false when the file does not say what shape the value has.
	Shaped bool
	Dims   []ONNXDim
}

// ONNXDim is one dimension: a size, or -1 with the symbol that stands for it.
type ONNXDim struct {
	Size   int64
	Symbol string
}

// Sizes are the sizes of the dimensions, -1 for those that vary.
func (t *ONNXTensor) Sizes() []int64 {
	sizes := make([]int64, len(t.Dims))
	for i, d := range t.Dims {
		sizes[i] = d.Size
	}
	return sizes
}

// ONNXKind is what sort of value an input or output is.
type ONNXKind int

// The kinds, with ONNX Runtime's numbers (ONNXType).
const (
	ONNXUnknownKind ONNXKind = iota
	ONNXTensorKind
	ONNXSequenceKind
	ONNXMapKind
	ONNXOpaqueKind
	ONNXSparseTensorKind
	ONNXOptionalKind
)

// String is the name that Triton's messages use.
func (k ONNXKind) String() string {
	names := [...]string{
		"ONNX_TYPE_UNKNOWN", "ONNX_TYPE_TENSOR", "ONNX_TYPE_SEQUENCE", "ONNX_TYPE_MAP",
		"ONNX_TYPE_OPAQUE", "ONNX_TYPE_SPARSETENSOR", "ONNX_TYPE_OPTIONAL",
	}
	if k < 0 || int(k) >= len(names) {
		return names[ONNXUnknownKind]
	}
	return names[k]
}

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

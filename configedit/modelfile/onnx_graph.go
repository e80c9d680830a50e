package modelfile

import (
	"cmp"
	"slices"
	"strings"
)

// Field numbers of GraphProto, NodeProto, AttributeProto, TensorProto, ValueInfoProto, TypeProto and
// TensorShapeProto (onnx.proto).
const (
	graphNode              = 1
	graphName              = 2
	graphInitializer       = 5
	graphInput             = 11
	graphOutput            = 12
	graphSparseInitializer = 15

	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOperator  = 4
	nodeAttribute = 5

	attributeName = 1
	attributeInt  = 3

	tensorType         = 2
	tensorName         = 8
	tensorExternalData = 13
	sparseValues       = 1

	valueName = 1
	valueType = 2

	typeTensor   = 1
	typeSequence = 4
	typeMap      = 5
	typeOpaque   = 7
	typeSparse   = 8
	typeOptional = 9

	typeElem  = 1
	typeShape = 2

	shapeDim  = 1
	dimValue  = 1
	dimSymbol = 2
)

func (h *onnxHeader) graphField(f field) error {
	switch f.number {
	case graphNode:
		h.model.Nodes++
		return h.node(f)
	case graphName:
		return h.text(f, &h.model.GraphName)
	case graphInitializer:
		return h.initializer(f)
	case graphSparseInitializer:
		return h.message(f, "a sparse initializer", func(f field) error {
			if f.number != sparseValues {
				return nil
			}
			return h.initializer(f)
		})
	case graphInput:
		return h.tensor(f, &h.inputs)
	case graphOutput:
		return h.tensor(f, &h.model.Outputs)
	}
	return nil
}

// node takes a node's operator, and the type that a Cast gives to its output.
func (h *onnxHeader) node(f field) error {
	if f.wire != wireBytes {
		return nil
	}
	var op Operator
	var input, output string
	var to int64
	err := h.message(f, "a node", func(f field) error {
		switch f.number {
		case nodeInput:
			return h.first(f, &input)
		case nodeOutput:
			return h.first(f, &output)
		case nodeName:
			return h.text(f, &op.Node)
		case nodeOperator:
			return h.text(f, &op.Name)
		case nodeAttribute:
			return h.castType(f, &to)
		}
		return nil
	})
	if op.Name == "Cast" {
		h.cast[output] = to
		err = cmp.Or(err, h.keep(f, output))
		h.model.HalfCasts = h.model.HalfCasts || strings.HasPrefix(op.Node, "graph_input_cast") || strings.HasPrefix(op.Node, "graph_output_cast")
	}
	op.Type = h.cast[input]
	same := func(o Operator) bool { return o.Name == op.Name && o.Type == op.Type }
	if !slices.ContainsFunc(h.model.Operators, same) && len(h.model.Operators) < mostOperators {
		h.model.Operators = append(h.model.Operators, op)
	}
	return err
}

// first reads the first of several texts.
func (h *onnxHeader) first(f field, into *string) error {
	if *into != "" {
		return nil
	}
	return h.text(f, into)
}

// castType reads the attribute "to" of a Cast.
func (h *onnxHeader) castType(f field, to *int64) error {
	var name string
	var number int64
	err := h.message(f, "an attribute", func(f field) error {
		switch f.number {
		case attributeName:
			return h.text(f, &name)
		case attributeInt:
			f.number64(&number)
		}
		return nil
	})
	if name == "to" {
		*to = number
	}
	return err
}

// mostOperators and mostWeightTypes are more than ONNX has.
const (
	mostOperators   = 500
	mostWeightTypes = 50
)

// initializer reads the name and the type of a weight and its file, but not its values.
func (h *onnxHeader) initializer(f field) error {
	var name string
	var kind int64
	if f.wire != wireBytes {
		return nil
	}
	err := h.message(f, "an initializer", func(f field) error {
		switch f.number {
		case tensorType:
			f.number64(&kind)
		case tensorName:
			return h.text(f, &name)
		case tensorExternalData:
			return h.externalData(f)
		}
		return nil
	})
	h.initializers[name] = true
	if !slices.Contains(h.model.Weights, kind) && len(h.model.Weights) < mostWeightTypes {
		h.model.Weights = append(h.model.Weights, kind)
	}
	return cmp.Or(err, h.keep(f, name))
}

func (h *onnxHeader) externalData(f field) error {
	entry, err := h.stringEntry(f)
	if entry.Key == "location" {
		h.model.ExternalFiles = append(h.model.ExternalFiles, entry.Value)
		err = cmp.Or(err, h.keep(f, entry.Value))
	}
	return err
}

func (h *onnxHeader) tensor(f field, into *[]Tensor) error {
	if f.wire != wireBytes {
		return nil
	}
	var t Tensor
	err := h.message(f, "a description of an input or output", func(f field) error {
		switch f.number {
		case valueName:
			return h.text(f, &t.Name)
		case valueType:
			return h.message(f, "a type", func(f field) error { return h.typeField(f, &t) })
		}
		return nil
	})
	*into = append(*into, t)
	if len(h.model.Outputs) > maxTensors {
		err = cmp.Or(err, tooManyTensors(f.start))
	}
	return cmp.Or(err, h.keep(f, t.Name))
}

var typeKinds = map[int32]Kind{
	typeTensor: TensorKind, typeSequence: SequenceKind, typeMap: MapKind,
	typeOpaque: OpaqueKind, typeSparse: SparseTensorKind, typeOptional: OptionalKind,
}

func (h *onnxHeader) typeField(f field, t *Tensor) error {
	kind, known := typeKinds[f.number]
	if !known || f.wire != wireBytes {
		return nil // a denotation, for one
	}
	t.Kind = kind
	if kind != TensorKind {
		return nil
	}
	return h.message(f, "a tensor type", func(f field) error {
		switch f.number {
		case typeElem:
			var elem int64
			f.number64(&elem)
			t.Type = ONNXDataType(int32(elem))
		case typeShape:
			t.Shaped = t.Shaped || f.wire == wireBytes
			return h.message(f, "a shape", func(f field) error { return h.dim(f, t) })
		}
		return nil
	})
}

// dim reads one dimension. Without a value it is of any size.
func (h *onnxHeader) dim(f field, t *Tensor) error {
	if f.number != shapeDim || f.wire != wireBytes {
		return nil
	}
	d := Dim{Size: -1}
	err := h.message(f, "a dimension", func(f field) error {
		switch f.number {
		case dimValue:
			d.Symbol = ""
			f.number64(&d.Size)
		case dimSymbol:
			d.Size = -1
			return h.text(f, &d.Symbol)
		}
		return nil
	})
	t.Dims = append(t.Dims, d)
	return cmp.Or(err, h.keep(f, d.Symbol))
}

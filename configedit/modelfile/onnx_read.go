package modelfile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Field numbers of ModelProto, OperatorSetIdProto and StringStringEntryProto (onnx.proto).
const (
	modelIRVersion       = 1
	modelProducer        = 2
	modelProducerVersion = 3
	modelDomain          = 4
	modelVersion         = 5
	modelDoc             = 6
	modelGraph           = 7
	modelOpset           = 8
	modelMetadata        = 14

	opsetDomain  = 1
	opsetVersion = 2
	entryKey     = 1
	entryValue   = 2
)

// What is kept of an ONNX file is bounded: its inputs, its outputs, as of an OpenVINO model, and the memory of all names together.
// Real models have far less, and a small file could declare a million outputs.
const (
	maxTensors   = 1 << 14
	maxONNXBytes = 16 << 20
	// keptBytes is the memory of one entry besides its text.
	keptBytes = 100
)

// ReadONNX reads the header of an ONNX file: weights are stepped over, so that a
// file of any size costs little more than its nodes. It never panics; an error is
// an *Error, or the error of r.
func ReadONNX(r io.ReaderAt, size int64) (*ONNX, error) {
	if size <= 0 {
		return nil, &Error{Truncated: true, Graphless: true, Message: "the file is empty"}
	}
	if err := lfsPointer(r); err != nil {
		return nil, err
	}
	h := &onnxHeader{source: &source{r: r, size: size, format: "ONNX model"}, model: &ONNX{}, initializers: map[string]bool{}, cast: map[string]int64{}, left: maxONNXBytes}
	err := h.each(section{end: size, what: "the model"}, h.modelField)
	if err != nil {
		return nil, err
	}
	if !h.hasGraph {
		return nil, &Error{Offset: size, Graphless: true, Message: "the file holds no graph: it is not an ONNX model"}
	}
	h.finish()
	if len(h.model.Inputs) > maxTensors {
		return nil, tooManyTensors(size)
	}
	return h.model, nil
}

func tooManyTensors(offset int64) error {
	return &Error{Offset: offset, Unjudged: true, Message: fmt.Sprintf("the file has more than %d inputs or outputs, which Conch does not read", maxTensors)}
}

// onnxHeader is a header while it is read.
type onnxHeader struct {
	*source
	model        *ONNX
	hasGraph     bool
	inputs       []Tensor // with those that have an initializer
	initializers map[string]bool
	// cast are the types of outputs of Cast nodes.
	cast map[string]int64
	left int // of maxONNXBytes
}

// keep counts an entry that is kept.
func (h *onnxHeader) keep(f field, text string) error {
	h.left -= keptBytes + len(text)
	if h.left < 0 {
		return &Error{Offset: f.start, Message: fmt.Sprintf("the names of inputs, outputs and weights in the file take more than %d MiB, which Conch does not read", maxONNXBytes>>20)}
	}
	return nil
}

func (h *onnxHeader) modelField(f field) error {
	m := h.model
	switch f.number {
	case modelIRVersion:
		f.number64(&m.IRVersion)
	case modelVersion:
		f.number64(&m.ModelVersion)
	case modelProducer:
		return h.text(f, &m.Producer)
	case modelProducerVersion:
		return h.text(f, &m.ProducerVersion)
	case modelDomain:
		return h.text(f, &m.Domain)
	case modelDoc:
		return h.text(f, &m.Doc)
	case modelOpset:
		return h.opset(f)
	case modelMetadata:
		return h.entry(f)
	case modelGraph:
		h.hasGraph = h.hasGraph || f.wire == wireBytes
		return h.message(f, "the graph", h.graphField)
	}
	return nil
}

func (h *onnxHeader) opset(f field) error {
	var set Opset
	err := h.message(f, "an operator set", func(f field) error {
		switch f.number {
		case opsetDomain:
			return h.text(f, &set.Domain)
		case opsetVersion:
			f.number64(&set.Version)
		}
		return nil
	})
	h.model.Opsets = append(h.model.Opsets, set)
	return cmp.Or(err, h.keep(f, set.Domain))
}

func (h *onnxHeader) entry(f field) error {
	entry, err := h.stringEntry(f)
	h.model.Metadata = append(h.model.Metadata, entry)
	return cmp.Or(err, h.keep(f, entry.Key+entry.Value))
}

func (h *onnxHeader) stringEntry(f field) (Entry, error) {
	var entry Entry
	err := h.message(f, "an entry", func(f field) error {
		switch f.number {
		case entryKey:
			return h.text(f, &entry.Key)
		case entryValue:
			return h.text(f, &entry.Value)
		}
		return nil
	})
	return entry, err
}

// overridableIR is the first IR version in which a graph input with an
// initializer may be given by the caller; before it every initializer had to
// be listed among the inputs (ONNX IR specification).
const overridableIR = 4

// finish parts the inputs that must be given from those that may be.
func (h *onnxHeader) finish() {
	for _, in := range h.inputs {
		switch {
		case !h.initializers[in.Name]:
			h.model.Inputs = append(h.model.Inputs, in)
		case h.model.IRVersion >= overridableIR:
			h.model.Overridable = append(h.model.Overridable, in)
		}
	}
	for i := range h.model.Outputs {
		h.model.Outputs[i].Inferred = true
	}
	slices.Sort(h.model.ExternalFiles)
	h.model.ExternalFiles = slices.Compact(h.model.ExternalFiles)
}

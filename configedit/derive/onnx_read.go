package derive

import (
	"fmt"
	"io"
	"slices"
)

// ONNXError says why a file is no readable ONNX model.
type ONNXError struct {
	// Offset is where in the file it shows.
	Offset int64
	// Truncated is set where the file ends too early: it was cut, or is still being copied.
	Truncated bool
	Message   string
}

// Error is a sentence without the file's name.
func (e *ONNXError) Error() string { return e.Message }

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

// ReadONNX reads the header of an ONNX file: weights are stepped over, so that a
// file of any size costs little more than its nodes. It never panics; an error is
// an *ONNXError, or what r answered.
func ReadONNX(r io.ReaderAt, size int64) (*ONNXModel, error) {
	if size <= 0 {
		return nil, &ONNXError{Truncated: true, Message: "the file is empty"}
	}
	h := &onnxHeader{source: &source{r: r, size: size}, model: &ONNXModel{}, initializers: map[string]bool{}}
	err := h.each(section{end: size, what: "the model"}, h.modelField)
	if err != nil {
		return nil, err
	}
	if !h.hasGraph {
		return nil, &ONNXError{Offset: size, Message: "the file holds no graph: it is no ONNX model"}
	}
	h.finish()
	return h.model, nil
}

// onnxHeader is a header while it is read.
type onnxHeader struct {
	*source
	model        *ONNXModel
	hasGraph     bool
	inputs       []ONNXTensor // with those that have an initializer
	initializers map[string]bool
}

func (h *onnxHeader) modelField(f field) error {
	m := h.model
	switch f.number {
	case modelIRVersion:
		m.IRVersion = f.int64()
	case modelVersion:
		m.ModelVersion = f.int64()
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
		h.hasGraph = true
		return h.message(f, "the graph", h.graphField)
	}
	return nil
}

func (h *onnxHeader) opset(f field) error {
	var set ONNXOpset
	err := h.message(f, "an operator set", func(f field) error {
		switch f.number {
		case opsetDomain:
			return h.text(f, &set.Domain)
		case opsetVersion:
			set.Version = f.int64()
		}
		return nil
	})
	h.model.Opsets = append(h.model.Opsets, set)
	return err
}

func (h *onnxHeader) entry(f field) error {
	entry, err := h.stringEntry(f)
	h.model.Metadata = append(h.model.Metadata, entry)
	return err
}

func (h *onnxHeader) stringEntry(f field) (ONNXEntry, error) {
	var entry ONNXEntry
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
	slices.Sort(h.model.ExternalFiles)
	h.model.ExternalFiles = slices.Compact(h.model.ExternalFiles)
}

func (h *onnxHeader) text(f field, into *string) error {
	if f.wire != wireBytes {
		return h.broken(f, "text")
	}
	s, err := h.string(f)
	*into = s
	return err
}

// message reads the fields inside f.
func (h *onnxHeader) message(f field, what string, visit func(field) error) error {
	if f.wire != wireBytes {
		return h.broken(f, what)
	}
	return h.each(section{start: f.start, end: f.start + f.length, what: what}, visit)
}

func (h *onnxHeader) broken(f field, what string) error {
	return &ONNXError{Offset: f.start, Message: fmt.Sprintf("this is no ONNX model: byte %d should begin %s", f.start, what)}
}

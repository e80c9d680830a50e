package derive

import (
	"io"
	"slices"
)

// ONNXError says why a file is no readable ONNX model.
type ONNXError = FileError

// FileError says why a model file cannot be read.
type FileError struct {
	// Offset is where in the file it shows.
	Offset int64
	// Truncated is set where the file ends too early: it was cut, or is still being copied.
	Truncated bool
	// Lacks is the file in an archive for whose absence it is no model.
	Lacks   string
	Message string
}

// Error is a sentence without the file's name.
func (e *FileError) Error() string { return e.Message }

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
	if err := lfsPointer(r); err != nil {
		return nil, err
	}
	h := &onnxHeader{source: &source{r: r, size: size, format: "ONNX model"}, model: &ONNXModel{}, initializers: map[string]bool{}}
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

// lfsPointer recognises what a clone without Git LFS has in place of a model (git-lfs specification).
func lfsPointer(r io.ReaderAt) error {
	const pointer = "version https://git-lfs.github.com/spec/"
	head := make([]byte, len(pointer))
	if n, _ := r.ReadAt(head, 0); string(head[:n]) != pointer {
		return nil
	}
	return &ONNXError{Message: "this is a Git LFS pointer, not the model itself: run git lfs pull"}
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
	var set ONNXOpset
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

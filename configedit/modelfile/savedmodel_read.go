package modelfile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Field numbers of SavedModel, MetaGraphDef, MetaInfoDef, SignatureDef, TensorInfo and TensorShapeProto, and of the
// entries of maps (saved_model.proto, meta_graph.proto, tensor_shape.proto).
const (
	savedGraphs = 2

	graphInfo       = 1
	graphSignatures = 5
	infoTags        = 4

	signatureInputs  = 1
	signatureOutputs = 2
	signatureMethod  = 3

	infoElement = 2
	infoShape   = 3

	savedDim         = 2
	savedUnknownRank = 3
	dimSize          = 1

	mapKey   = 1
	mapValue = 2
)

// maxSaved bounds the graphs, tags, signatures, tensors and dimensions of a saved model together.
const maxSaved = 1 << 14

// ReadSavedModel reads the signatures in a saved_model.pb: graphs are stepped over. It never panics; an error is a
// *Error, or the error of r.
func ReadSavedModel(r io.ReaderAt, size int64) (*SavedModel, error) {
	if size <= 0 {
		return nil, &Error{Truncated: true, Message: "the file is empty"}
	}
	if err := lfsPointer(r); err != nil {
		return nil, err
	}
	h := &savedHeader{source: &source{r: r, size: size, format: "saved model"}, model: &SavedModel{}, left: maxSaved}
	if err := h.each(section{end: size, what: "the saved model"}, h.modelField); err != nil {
		return nil, err
	}
	if len(h.model.Graphs) == 0 {
		return nil, &Error{Offset: size, Message: "the file holds no graph: it is not a saved model"}
	}
	return h.model, nil
}

// savedHeader is a saved model while it is read.
type savedHeader struct {
	*source
	model *SavedModel
	left  int // of maxSaved
}

// spend counts the values that are kept.
func (h *savedHeader) spend(f field) error {
	h.left--
	if h.left < 0 {
		return &Error{Offset: f.start, Message: fmt.Sprintf("the file has more than %d graphs, signatures and tensors", maxSaved)}
	}
	return nil
}

func (h *savedHeader) modelField(f field) error {
	if f.number != savedGraphs || f.wire != wireBytes {
		return nil
	}
	var g SavedGraph
	err := h.message(f, "a graph", func(f field) error {
		switch f.number {
		case graphInfo:
			return h.message(f, "a graph's description", func(f field) error { return h.tag(f, &g) })
		case graphSignatures:
			return h.signature(f, &g)
		}
		return nil
	})
	h.model.Graphs = append(h.model.Graphs, g)
	return cmp.Or(err, h.spend(f))
}

func (h *savedHeader) tag(f field, g *SavedGraph) error {
	if f.number != infoTags || f.wire != wireBytes {
		return nil
	}
	var tag string
	err := h.text(f, &tag)
	g.Tags = append(g.Tags, tag)
	return cmp.Or(err, h.spend(f))
}

// signature reads an entry of the map of signatures. A later one of the same name replaces the earlier.
func (h *savedHeader) signature(f field, g *SavedGraph) error {
	if f.wire != wireBytes {
		return nil
	}
	var s SavedSignature
	err := h.entry(f, "a signature", &s.Name, func(f field) error {
		switch f.number {
		case signatureInputs:
			return h.tensor(f, "input", &s)
		case signatureOutputs:
			return h.tensor(f, "output", &s)
		case signatureMethod:
			return h.text(f, &s.Method)
		}
		return nil
	})
	g.Signatures = put(g.Signatures, s, func(s SavedSignature) string { return s.Name })
	return cmp.Or(err, h.spend(f))
}

// entry reads an entry of a map.
func (h *savedHeader) entry(f field, what string, key *string, visit func(field) error) error {
	return h.message(f, what, func(f field) error {
		switch f.number {
		case mapKey:
			return h.text(f, key)
		case mapValue:
			return h.message(f, what, visit)
		}
		return nil
	})
}

// tensor reads an entry of the map of a signature's inputs or outputs.
func (h *savedHeader) tensor(f field, side string, s *SavedSignature) error {
	if f.wire != wireBytes {
		return nil
	}
	t := Tensor{Kind: TensorKind}
	var element int64
	err := h.entry(f, "a description of an input or output", &t.Name, func(f field) error {
		switch f.number {
		case infoElement:
			f.number64(&element)
		case infoShape:
			t.Shaped = t.Shaped || f.wire == wireBytes
			return h.message(f, "a shape", func(f field) error { return h.shapeField(f, &t) })
		}
		return nil
	})
	t.Type = savedDataType(element)
	list := &s.Inputs
	if side == "output" {
		list = &s.Outputs
	}
	*list = put(*list, t, func(t Tensor) string { return t.Name })
	s.unserved(SavedElement{Side: side, Name: t.Name, Type: unservedName(element)})
	return cmp.Or(err, h.spend(f))
}

// unserved notes a type that only has a name of its own when it cannot be served.
func (s *SavedSignature) unserved(e SavedElement) {
	s.Unserved = slices.DeleteFunc(s.Unserved, func(o SavedElement) bool { return o.Side == e.Side && o.Name == e.Name })
	if e.Type != "" {
		s.Unserved = append(s.Unserved, e)
	}
}

func (h *savedHeader) shapeField(f field, t *Tensor) error {
	switch {
	case f.number == savedUnknownRank && f.wire != wireBytes && f.value != 0:
		t.Shaped, t.Dims = false, nil
	case f.number == savedDim && f.wire == wireBytes:
		d := Dim{}
		err := h.message(f, "a dimension", func(f field) error {
			if f.number == dimSize {
				f.number64(&d.Size)
			}
			return nil
		})
		t.Dims = append(t.Dims, d)
		return cmp.Or(err, h.spend(f))
	}
	return nil
}

// put keeps a list sorted by key, and each key once.
func put[T any](list []T, v T, key func(T) string) []T {
	i, found := slices.BinarySearchFunc(list, key(v), func(have T, k string) int { return cmp.Compare(key(have), k) })
	if found {
		list[i] = v
		return list
	}
	return slices.Insert(list, i, v)
}

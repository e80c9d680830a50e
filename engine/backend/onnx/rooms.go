package onnx

import (
	"context"
	"errors"
	"unsafe"

	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// roomFor returns the memory that the request at hand has for an output, and the type and shape of what is made there; nil where the graph
// does not tell them, or has another provider make them.
func (in *instance) roomFor(out output) (room []byte, kind tensor.DataType, shape tensor.Shape) {
	room = in.rooms[out.name]
	_, passed := in.model.inputs[out.name] // ONNX Runtime makes no such output, and gives the input's own memory
	if room == nil || passed || in.at.gpu || in.model.layout != nil || in.surprising[out.index] {
		return nil, 0, nil
	}
	graph := in.session.Model().Outputs[out.index]
	if !graph.Shaped {
		return nil, 0, nil
	}
	kind = tensor.DataType(graph.Type)
	in.shape = in.shape[:0]
	for i, d := range graph.Dims {
		switch {
		case d.Size >= 0:
		case i == 0 && in.model.batching():
			d.Size = max(in.batch, 1)
		default:
			d.Size = in.named(d.Symbol)
		}
		in.shape = append(in.shape, d.Size)
	}
	elements, known := in.shape.Elements()
	size := int64(kind.Size())
	if !known || size <= 0 || elements <= 0 || elements > int64(len(room))/size || uintptr(unsafe.Pointer(unsafe.SliceData(room)))%uintptr(size) != 0 {
		return nil, 0, nil
	}
	return room[:elements*size], kind, in.shape
}

// named returns the size of a dimension by its name in the graph, as an input has it; -1 if none has.
func (in *instance) named(symbol string) int64 {
	if symbol == "" {
		return -1
	}
	inputs := in.session.Model().Inputs
	for _, g := range in.given {
		if g.index >= len(inputs) || len(inputs[g.index].Dims) != len(g.shape) {
			continue
		}
		for i, d := range inputs[g.index].Dims {
			if d.Symbol == symbol {
				return g.shape[i]
			}
		}
	}
	return -1
}

// runAgain runs a model once more when it has failed and outputs had memory of the request: it may have made another shape than its
// graph says. Then they have none from now on.
func (in *instance) runAgain(ctx context.Context, failed error) error {
	var e *ort.Error
	if !errors.As(failed, &e) || !in.runner.WantElsewhere() {
		return failed
	}
	if in.runOnce(ctx) != nil {
		return failed
	}
	if in.surprising == nil {
		in.surprising = map[int]bool{}
	}
	for _, out := range in.wanted {
		if in.rooms[out.name] != nil {
			in.surprising[out.index] = true
		}
	}
	return nil
}

// placesOf notes where a request that runs alone wants its outputs.
func (in *instance) placesOf(r *infer.Request) {
	in.landings, in.rooms, in.batch = r.Landings, r.Rooms, r.Batch
}

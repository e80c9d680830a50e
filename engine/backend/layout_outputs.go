package backend

import (
	"encoding/binary"
	"slices"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// scatter is an output that takes its shape from an input.
type scatter struct {
	source string
	shape  tensor.Shape // -1 stands for the dimension of the source at the same position
}

// scattered returns an output's shape with the batch dimension, as the framework sees it.
func scattered(cfg *modelconfig.ModelConfig, out *modelconfig.ModelOutput) tensor.Shape {
	dims := out.Dims
	if out.Reshape != nil {
		dims = out.Reshape.Shape
	}
	if cfg.MaxBatchSize == 0 {
		return dims
	}
	return append(tensor.Shape{-1}, dims...)
}

// Scatters reports whether an output is split by the shapes of an input (BATCH_SCATTER_WITH_INPUT_SHAPE).
func (l *Layout) Scatters(output string) bool {
	if l == nil {
		return false
	}
	_, ok := l.scatters[output]
	return ok
}

// Split splits such an output into one part for each request. The parts share the output's memory.
func (l *Layout) Split(whole tensor.Tensor, requests []*infer.Request) ([]tensor.Tensor, error) {
	how := l.scatters[whole.Name]
	parts, rest := make([]tensor.Tensor, len(requests)), whole.Data
	for i, r := range requests {
		shape, err := how.shapeFor(r, whole.Name)
		if err != nil {
			return nil, err
		}
		n, ok := bytesOf(whole.Type, shape, rest)
		if !ok {
			return nil, infer.Errorf(infer.Internal, "failed to split the output tensor '%s' in responses: the model gave %s, "+
				"which is less than what the shapes of input '%s' ask for", whole.Name, whole.Shape, how.source)
		}
		parts[i] = tensor.Tensor{Name: whole.Name, Type: whole.Type, Shape: shape, Data: rest[:n:n]}
		rest = rest[n:]
	}
	return parts, nil
}

// shapeFor returns the shape of one request's part. Its variable dimensions are those of the source at the same positions.
func (s scatter) shapeFor(r *infer.Request, output string) (tensor.Shape, error) {
	source, _, err := part(r, s.source)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(s.shape)
	for i, d := range shape {
		if d != -1 {
			continue
		}
		if i >= len(source.Shape) {
			return nil, infer.Errorf(infer.Internal, "failed to split the output tensor '%s' in responses: input '%s' with shape %s has no dimension %d",
				output, s.source, source.Shape, i)
		}
		shape[i] = source.Shape[i]
	}
	return shape, nil
}

// bytesOf returns how many bytes of data a tensor of this shape has; false when data is shorter.
func bytesOf(t tensor.DataType, shape tensor.Shape, data []byte) (int64, bool) {
	there := int64(len(data))
	if t != tensor.Bytes {
		n, ok := shape.ByteSize(t)
		return n, ok && n <= there
	}
	elements, ok := shape.Elements()
	at := int64(0)
	for ; ok && elements > 0; elements-- {
		if there-at < 4 {
			return 0, false
		}
		at += 4 + int64(binary.LittleEndian.Uint32(data[at:]))
		ok = at <= there
	}
	return at, ok
}

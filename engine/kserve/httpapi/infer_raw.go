package httpapi

import (
	"encoding/binary"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/tensor"
)

// rawName is what Triton calls the input of a raw request in messages.
const rawName = "raw_input"

// readRaw takes the whole body as the one input of the model. Every output goes back binary
// (docs/triton/http.md, "Raw requests").
func (f *inference) readRaw() error {
	inputs := f.target.Config.GetInput()
	if len(inputs) != 1 {
		return f.rawError("Raw request must only have 1 input (found 1) to be deduced but got %d inputs in '%s' model configuration",
			len(inputs), f.request.Model)
	}
	in := inputs[0]
	t := tensor.Tensor{Name: in.GetName(), Type: tensor.DataType(in.GetDataType()), Data: f.body}
	t.Shape = append(t.Shape, in.GetDims()...)
	if err := f.fitRaw(&t); err != nil {
		return err
	}
	if f.target.Config.GetMaxBatchSize() > 0 {
		t.Shape = append(tensor.Shape{1}, t.Shape...)
	}
	f.request.Inputs = []tensor.Tensor{t}
	f.binary = true
	return nil
}

// fitRaw settles the shape: at most one extent is open and follows from the size.
func (f *inference) fitRaw(t *tensor.Tensor) error {
	open, known := -1, int64(1)
	for i, d := range t.Shape {
		switch {
		case d >= 0:
			known *= d
		case open >= 0:
			return f.rawError("The shape of the raw input '%s' can not be deduced because there are more than one variable-sized dimension", t.Name)
		default:
			open = i
		}
	}
	if t.Type == tensor.Bytes {
		if err := f.c.account.Grow(int64(len(t.Data))); err != nil {
			return err
		}
		return f.fitRawBytes(t, open < 0 && known == 1)
	}
	size, have := known*int64(t.Type.Size()), int64(len(t.Data))
	if open >= 0 && size > 0 {
		t.Shape[open] = have / size
		size *= t.Shape[open]
	}
	if have != size {
		return f.rawError("input byte size mismatch for input '%s' for model '%s'. Expected %d, got %d",
			rawName, f.request.Model, size, have)
	}
	return nil
}

// fitRawBytes makes the body one string.
func (f *inference) fitRawBytes(t *tensor.Tensor, single bool) error {
	if !single {
		return f.rawError("For BYTE datatype raw input '%s', the model must have input shape [1]", t.Name)
	}
	prefix := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(t.Data)), uint32(len(t.Data)))
	t.Data = append(prefix, t.Data...)
	return nil
}

func (f *inference) rawError(format string, args ...any) error {
	return infer.Errorf(infer.InvalidArg, kserve.RequestPrefix(f.request.ID)+format, args...)
}

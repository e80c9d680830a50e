package grpcapi

import (
	"encoding/binary"

	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// rawInputs returns the entries of raw_input_contents in order. Extra entries are ignored
// (docs/triton/grpc.md, "Tensors").
type rawInputs struct {
	contents [][]byte
	taken    int
}

// inputData returns an input's bytes: raw, or from typed contents.
func (f *inference) inputData(in *kservepb.ModelInferRequest_InferInputTensor, t tensor.DataType, raw *rawInputs) ([]byte, error) {
	switch {
	case in.GetContents() != nil && len(raw.contents) > 0:
		return nil, infer.Errorf(infer.InvalidArg, "contents field must not be specified when using raw_input_contents for '%s' "+
			"for model '%s'", in.GetName(), f.Model)
	case in.GetContents() != nil:
		return f.readTyped(in, t)
	case raw.taken < len(raw.contents):
		raw.taken++
		return raw.contents[raw.taken-1], nil
	}
	return nil, infer.Errorf(infer.InvalidArg, "unable to find data for input tensor '%s' for model '%s' in request.",
		in.GetName(), f.Model)
}

// regionData returns an input's bytes in shared memory.
func (f *inference) regionData(in *kservepb.ModelInferRequest_InferInputTensor, t tensor.DataType, place request.Place) ([]byte, error) {
	if in.GetContents() != nil {
		return nil, infer.Errorf(infer.InvalidArg, "unexpected 'content' provided when using shared memory for input tensor '%s' "+
			"for model '%s'", in.GetName(), f.Model)
	}
	return f.ReadRegion(in.GetName(), t, place)
}

// readTyped reads contents: one field, and the one for the input's type.
func (f *inference) readTyped(in *kservepb.ModelInferRequest_InferInputTensor, t tensor.DataType) ([]byte, error) {
	data, sent := typedData(in.GetContents(), t)
	if sent != t {
		return nil, infer.Errorf(infer.InvalidArg, "unexpected explicit tensor data for input tensor '%s' for model '%s' "+
			"of type '%s', expected datatype '%s'", in.GetName(), f.Model, sent, t)
	}
	if countFields(in.GetContents()) > 1 {
		return nil, infer.Errorf(infer.InvalidArg, "unexpected explicit tensor data for input tensor '%s' for model '%s', "+
			"binary data was already supplied.", in.GetName(), f.Model)
	}
	return data, nil
}

func countFields(c *kservepb.InferTensorContents) int {
	n := 0
	for _, length := range [...]int{
		len(c.BoolContents), len(c.IntContents), len(c.Int64Contents), len(c.UintContents),
		len(c.Uint64Contents), len(c.Fp32Contents), len(c.Fp64Contents), len(c.BytesContents),
	} {
		if length > 0 {
			n++
		}
	}
	return n
}

// typedData returns typed contents as bytes, and the type that they were sent as: t if they fit it.
func typedData(c *kservepb.InferTensorContents, t tensor.DataType) ([]byte, tensor.DataType) {
	switch {
	case len(c.BoolContents) > 0:
		return encode(c.BoolContents), tensor.Bool
	case len(c.IntContents) > 0:
		return narrowInts(c.IntContents, t)
	case len(c.Int64Contents) > 0:
		return encode(c.Int64Contents), tensor.Int64
	case len(c.UintContents) > 0:
		return narrowUints(c.UintContents, t)
	case len(c.Uint64Contents) > 0:
		return encode(c.Uint64Contents), tensor.Uint64
	case len(c.Fp32Contents) > 0:
		return encode(c.Fp32Contents), tensor.FP32
	case len(c.Fp64Contents) > 0:
		return encode(c.Fp64Contents), tensor.FP64
	case len(c.BytesContents) > 0:
		return joinBytes(c.BytesContents), tensor.Bytes
	}
	return nil, t
}

// encode writes numbers in little-endian order. It cannot fail: all its types have a fixed size.
func encode[T any](values []T) []byte {
	out, _ := binary.Append(nil, binary.LittleEndian, values)
	return out
}

// narrowInts converts int_contents to one of the three types that share it. Values are cut to the
// type's size without a check.
func narrowInts(values []int32, t tensor.DataType) ([]byte, tensor.DataType) {
	switch t {
	case tensor.Int8:
		return narrow[int32, int8](values), t
	case tensor.Int16:
		return narrow[int32, int16](values), t
	}
	return encode(values), tensor.Int32
}

// narrowUints does the same for uint_contents.
func narrowUints(values []uint32, t tensor.DataType) ([]byte, tensor.DataType) {
	switch t {
	case tensor.Uint8:
		return narrow[uint32, uint8](values), t
	case tensor.Uint16:
		return narrow[uint32, uint16](values), t
	}
	return encode(values), tensor.Uint32
}

func narrow[From int32 | uint32, To int8 | int16 | uint8 | uint16](values []From) []byte {
	cut := make([]To, len(values))
	for i, v := range values {
		cut[i] = To(v)
	}
	return encode(cut)
}

// joinBytes writes BYTES elements in the wire format.
func joinBytes(elements [][]byte) []byte {
	size := 0
	for _, e := range elements {
		size += 4 + len(e)
	}
	out := make([]byte, 0, size)
	for _, e := range elements {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(e)))
		out = append(out, e...)
	}
	return out
}

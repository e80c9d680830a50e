package model

import (
	"encoding/binary"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// checkBytes compares an input's size with its shape. A batch of 0 is refused in Triton's way: the bytes of one
// item are expected, and none are there.
func (c *contract) checkBytes(r *infer.Request, in *tensor.Tensor, item tensor.Shape) error {
	shape := in.Shape
	if c.maxBatch > 0 && r.Batch == 0 {
		shape = item
	}
	elements, ok := shape.Elements()
	if !ok {
		return refuse(r, "element count for input '%s' for model '%s' exceeds maximum size of 9223372036854775807", in.Name, c.model)
	}
	if in.Type == tensor.Bytes {
		return c.checkStrings(r, in, elements)
	}
	want, ok := shape.ByteSize(in.Type)
	if !ok {
		return refuse(r, "byte size for input '%s' for model '%s' exceeds maximum size of 9223372036854775807", in.Name, c.model)
	}
	if int64(len(in.Data)) != want {
		return refuse(r, "input byte size mismatch for input '%s' for model '%s'. Expected %d, got %d", in.Name, c.model, want, len(in.Data))
	}
	return nil
}

// checkStrings walks over the elements of a BYTES tensor: a length, then so many bytes
// (docs/triton/requests.md, "Data types").
func (c *contract) checkStrings(r *infer.Request, in *tensor.Tensor, want int64) error {
	rest := in.Data
	for got := int64(0); ; got++ {
		switch {
		case len(rest) == 0 && got == want:
			return nil
		case len(rest) == 0:
			return refuse(r, "expected %d string elements for inference input '%s' for model '%s', got %d", want, in.Name, c.model, got)
		case got == want:
			return refuse(r, "unexpected number of string elements %d for inference input '%s' for model '%s', expecting %d", got+1, in.Name, c.model, want)
		case len(rest) < 4:
			return refuse(r, "incomplete string length indicator for inference input '%s' for model '%s', expecting 4 bytes but only %d bytes available", in.Name, c.model, len(rest))
		}
		length := binary.LittleEndian.Uint32(rest)
		rest = rest[4:]
		if uint64(length) > uint64(len(rest)) {
			return refuse(r, "incomplete string data for inference input '%s', expecting string of length %d but only %d bytes available", in.Name, length, len(rest))
		}
		rest = rest[length:]
	}
}

package infer

import (
	"slices"

	"conch/engine/tensor"
)

// Away is an input whose bytes are in the memory of a GPU. They stay there until the request's Handler returns.
type Away interface {
	// GPU is the number of the GPU.
	GPU() int
	// Address is where the bytes begin, for code of this process that runs on that GPU.
	Address() uintptr
	Size() int
	// Read copies the bytes.
	Read(to []byte) error
}

// Landing is a place in the memory of a GPU where an output is wanted. It stays until the request's Handler returns.
type Landing interface {
	// GPU is the number of the GPU.
	GPU() int
	// Address is where the place begins, for code of this process that runs on that GPU.
	Address() uintptr
	Size() int
}

// ByteSize returns the number of bytes of an input, wherever they are.
func (r *Request) ByteSize(in *tensor.Tensor) int {
	if away := r.Away[in.Name]; away != nil {
		return away.Size()
	}
	return len(in.Data)
}

// near returns the inputs with the bytes of all of them here. One that cannot be read has none.
func (r *Request) near() []tensor.Tensor {
	if len(r.Away) == 0 {
		return r.Inputs
	}
	inputs := slices.Clone(r.Inputs)
	for i := range inputs {
		if away := r.Away[inputs[i].Name]; away != nil {
			data := make([]byte, away.Size())
			if away.Read(data) == nil {
				inputs[i].Data = data
			}
		}
	}
	return inputs
}

// ReadsGPU reports whether the version reads inputs in the memory of that GPU where they are (Request.Away).
func (t Target) ReadsGPU(gpu int) bool {
	v, ok := t.Version.(interface{ ReadsGPU(gpu int) bool })
	return ok && v.ReadsGPU(gpu)
}

// WritesGPU reports whether the version may write outputs to the memory of that GPU itself (Request.Landings).
func (t Target) WritesGPU(gpu int) bool {
	v, ok := t.Version.(interface{ WritesGPU(gpu int) bool })
	return ok && v.WritesGPU(gpu)
}

package onnx

import (
	"errors"
	"regexp"
	"strconv"

	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// full matches what ONNX Runtime, CUDA, cuBLAS and cuDNN say when a GPU has no memory left.
var full = regexp.MustCompile(`(?i)out of memory|_ALLOC_FAILED|Failed to allocate memory for requested buffer|Available memory of \d+ is smaller than requested`)

// cudaCode is the number in ONNX Runtime's errors of CUDA: "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; …".
var cudaCode = regexp.MustCompile(`CUDA (?:failure|error) (\d+)`)

// lasting are the errors of CUDA after which a process can do nothing more on the GPU: it is gone, or its context is broken.
var lasting = map[int]bool{
	46: true, 214: true, 220: true, 226: true, 700: true, 702: true, 709: true, 710: true, 714: true, 715: true, 716: true, 717: true, 718: true,
	719: true, 721: true, 999: true,
}

// isFull reports that an error is a GPU without memory.
func isFull(at placement, err error) bool {
	var native *ort.Error
	return at.gpu && errors.As(err, &native) && full.MatchString(native.Message)
}

// failed gives an error of a load or a run at a place its code. A full GPU is told with what helps. A GPU that this process can use no
// more is told to the backend's owner.
func (b *Backend) failed(at placement, err error) error {
	var native *ort.Error
	switch {
	case !at.gpu || !errors.As(err, &native):
	case isFull(at, err):
		return infer.Errorf(infer.Unavailable, "%s; the memory of GPU %d is full: unload other models, use fewer instances or smaller "+
			"batches, or set gpu_mem_limit", native.Error(), at.device)
	case isLasting(native.Message) && b.options.Lost != nil:
		b.options.Lost(at.device, native.Message)
	}
	return asInferError(err)
}

// copyFailed is the error of a copy from or to the instance's GPU.
func (in *instance) copyFailed(err error) error {
	var said *infer.Error
	if errors.As(err, &said) {
		return err
	}
	if lost := in.model.backend.options.Lost; lost != nil && isLasting(err.Error()) {
		lost(in.at.device, err.Error())
	}
	return infer.Errorf(infer.Internal, "model '%s': %v", in.model.spec.Name, err)
}

func isLasting(message string) bool {
	m := cudaCode.FindStringSubmatch(message)
	if m == nil {
		return false
	}
	code, err := strconv.Atoi(m[1])
	return err == nil && lasting[code]
}

package onnx

import (
	"errors"
	"regexp"

	"conch/engine/backend/onnx/ort"
	"conch/engine/cuda"
	"conch/engine/infer"
)

// full matches what ONNX Runtime, CUDA, cuBLAS and cuDNN say when a GPU has no memory left.
var full = regexp.MustCompile(`(?i)out of memory|_ALLOC_FAILED|DEVICE_ALLOCATION_FAILED|Failed to allocate memory for requested buffer|Available memory of \d+ is smaller than requested`)

// isFull reports that an error is a GPU without memory.
func isFull(at placement, err error) bool {
	var native *ort.Error
	return at.gpu && errors.As(err, &native) && full.MatchString(native.Message)
}

// isTaken reports that an error is a GPU that this process may not use now.
func isTaken(at placement, err error) bool {
	var native *ort.Error
	return at.gpu && errors.As(err, &native) && cuda.IsTaken(native.Message)
}

// failed gives an error of a load or a run at a place its code. A GPU that is full, or that another program has, is told with what helps. A GPU that
// this process can use no more is told to the backend's owner.
func (b *Backend) failed(at placement, err error) error {
	var native *ort.Error
	switch {
	case !at.gpu || !errors.As(err, &native):
	case isFull(at, err):
		return infer.Errorf(infer.Unavailable, "%s; the memory of GPU %d is full: unload other models, use fewer instances or smaller "+
			"batches, or set gpu_mem_limit", native.Error(), at.device)
	case isTaken(at, err):
		return infer.Errorf(infer.Unavailable, "%s; another program has GPU %d for itself, or nobody may use it by its compute mode, which "+
			"`nvidia-smi -q -d COMPUTE` shows: end that program, or change the mode", native.Error(), at.device)
	case cuda.IsLasting(native.Message) && b.options.Lost != nil:
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
	if lost := in.model.backend.options.Lost; lost != nil && cuda.IsLasting(err.Error()) {
		lost(in.at.device, err.Error())
	}
	return infer.Errorf(infer.Internal, "model '%s': %v", in.model.spec.Name, err)
}

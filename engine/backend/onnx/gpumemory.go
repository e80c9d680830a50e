package onnx

import (
	"sync"

	"conch/engine/cuda"
)

// GPUMemory copies from and to the memory of GPUs of this machine, at addresses of this process. What it copies has arrived when
// it returns.
type GPUMemory interface {
	Write(gpu int, to uintptr, from []byte) error
	Read(gpu int, to []byte, from uintptr) error
	Copy(gpu int, to, from uintptr, size int) error
}

// driver is NVIDIA's, opened when it is first needed.
var driver = sync.OnceValues(func() (GPUMemory, error) {
	d, err := cuda.Open(cuda.Library)
	if err != nil {
		return nil, err
	}
	return d, nil
})

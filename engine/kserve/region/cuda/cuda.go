// Package cuda reads and writes memory of other processes on NVIDIA GPUs, through the handles that CUDA makes for that.
//
// It needs NVIDIA's driver and nothing of the CUDA toolkit. The driver's library is opened at run time, when the first handle comes,
// and a machine without it is an ordinary one. Memory is reached in the device's primary context, which CUDA's runtime and ONNX
// Runtime use too.
package cuda

import "errors"

// HandleSize is the size of a handle in bytes.
const HandleSize = 64

// Handle names a piece of memory of a process for other processes of the machine (cudaIpcMemHandle_t).
type Handle [HandleSize]byte

// Library is the driver's library.
const Library = "libcuda.so.1"

// ErrAbsent means that this machine has no GPU that CUDA can use.
var ErrAbsent = errors.New("CUDA finds no GPU")

// errSize is told of a copy beyond the memory, which its caller has to rule out.
var errSize = errors.New("a part outside of the memory")

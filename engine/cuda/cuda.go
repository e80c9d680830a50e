// Package cuda copies from and to memory on NVIDIA GPUs: memory of this process, which ONNX Runtime took, and memory of other
// processes, through the handles that CUDA makes for that. It lends memory from which GPUs copy directly (Pool).
//
// It needs NVIDIA's driver and nothing of the CUDA toolkit. The driver's library is opened at run time, when it is first needed,
// and a machine without it is an ordinary one. Memory is reached in the device's primary context, which CUDA's runtime and ONNX
// Runtime use too.
//
// While CUDA records a graph, nothing else of the process may use a GPU: most calls of CUDA would fail, and the recording with them. So
// whatever calls CUDA does it between Enter and Leave, or alone.
package cuda

import (
	"errors"

	"conch/engine/sharedlib"
)

// HandleSize is the size of a handle in bytes.
const HandleSize = 64

// Handle names a piece of memory of a process for other processes of the machine (cudaIpcMemHandle_t).
type Handle [HandleSize]byte

// Library is the driver's library.
const Library = sharedlib.CUDADriver

// ErrAbsent means that this machine has no GPU that CUDA can use.
var ErrAbsent = errors.New("CUDA finds no GPU")

// errSize is told of a copy beyond the memory, which its caller has to rule out.
var errSize = errors.New("a part outside of the memory")

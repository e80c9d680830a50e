package backend

import (
	"fmt"

	"conch/configedit/modelconfig"
)

// Device is where instances run and where memory is. The zero value is the CPU.
type Device struct {
	GPU bool
	ID  int // the GPU's number; 0 for the CPU
}

// String returns "CPU", "GPU 0", …
func (d Device) String() string {
	if !d.GPU {
		return "CPU"
	}
	return fmt.Sprintf("GPU %d", d.ID)
}

// Kind returns the device's kind in an instance group.
func (d Device) Kind() modelconfig.ModelInstanceGroup_Kind {
	if d.GPU {
		return modelconfig.ModelInstanceGroup_KIND_GPU
	}
	return modelconfig.ModelInstanceGroup_KIND_CPU
}

// Memory is a number of bytes on a device.
type Memory struct {
	Device Device
	Bytes  uint64
}

// DeviceLister is an optional ability of a Backend: the GPUs on which its instances can run, each with its free memory, which is
// 0 where it is not known. Where there are none, why is a clause that says what is missing. A backend without it runs only on the CPU.
type DeviceLister interface {
	Devices() (gpus []Memory, why string)
}

// Adapter is an optional ability of a Backend: what instances of a model that are on no NVIDIA GPU run on in place of the processor, such as
// "WebGPU"; "" for the processor.
type Adapter interface {
	Adapter(cfg *modelconfig.ModelConfig) string
}

// GPUReader is an optional ability of a Model: its instances take inputs that are in the memory of a GPU (infer.Request.Away), of
// requests that run alone and never of strings.
type GPUReader interface {
	// ReadsGPU reports whether an instance reads inputs in that GPU's memory where they are. Instances elsewhere may get them
	// too, and copy them.
	ReadsGPU(gpu int) bool
}

// GPUWriter is an optional ability of a Model: its instances write outputs of numbers to the memory of a GPU
// (infer.Request.Landings), of requests that run alone. An output that they have not written is in the response as any other.
type GPUWriter interface {
	// WritesGPU reports whether an instance on that GPU writes outputs there.
	WritesGPU(gpu int) bool
}

// Foreseer is an optional ability of a Backend: why a load of a config would fail on these devices, as far as that is known without a load; nil where
// nothing is known against it. It waits for nothing.
type Foreseer interface {
	Foresee(cfg *modelconfig.ModelConfig, on []Device) error
}

// Estimator is an optional ability of a Backend: how much memory a load will need, as far as that is known before. The engine
// refuses a load when a device has too little free memory. Without an Estimator the engine compares the sizes of the model's
// files with the free memory of the process.
type Estimator interface {
	Estimate(spec Spec) []Memory
}

package backend

import (
	"fmt"

	"conch/configedit/modelconfig"
)

// Device is where instances run and memory lies. The zero value is the CPU.
type Device struct {
	GPU bool
	ID  int // the GPU's number; 0 for the CPU
}

// String is "CPU", "GPU 0", …
func (d Device) String() string {
	if !d.GPU {
		return "CPU"
	}
	return fmt.Sprintf("GPU %d", d.ID)
}

// Kind is the device as an instance group has it.
func (d Device) Kind() modelconfig.ModelInstanceGroup_Kind {
	if d.GPU {
		return modelconfig.ModelInstanceGroup_KIND_GPU
	}
	return modelconfig.ModelInstanceGroup_KIND_CPU
}

// Memory is so many bytes on a device.
type Memory struct {
	Device Device
	Bytes  uint64
}

// DeviceLister is an optional ability of a Backend: the GPUs that its instances can run on, each with the memory that is free
// there now. A backend without it runs on the CPU alone, and a config that asks for a GPU does not load.
type DeviceLister interface {
	Devices() []Memory
}

// Estimator is an optional ability of a Backend: what a load will take, as far as it is known before. The engine refuses a load
// for which a device has too little free. Without it the sizes of the model's files count, as memory of the process.
type Estimator interface {
	Estimate(spec Spec) []Memory
}

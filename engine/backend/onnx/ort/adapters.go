package ort

// #include "shim.h"
import "C"

import (
	"slices"
	"unsafe"
)

// Adapter is a GPU or another accelerator of the machine that an execution provider says it can use.
type Adapter struct {
	Provider string // "WebGpuExecutionProvider"
	NPU      bool   // it is for neural networks alone
	// Hardware is the device's number in this list: other providers of the same device have it too.
	Hardware int
	// Vendor and Device are the numbers of the maker and of what it made.
	Vendor, Device uint32
	// Name is what the system calls it, "AMD Radeon RX 7900", and Maker who made it; "" where the system does not tell.
	Name, Maker string
	Place       string // on the bus, "0000:03:00.0"; "" where the system does not tell

	providerName string // what OpenVINO calls it: "GPU.1"
	processor    bool
}

// OrtHardwareDeviceType.
const (
	typeGPU = 1
	typeNPU = 2
)

// mostAdapters is more than a machine has, for each of its providers.
const mostAdapters = 64

// Adapters returns the adapters that the library finds, one for each of its providers that can use it. Processors are left out.
func (l *Library) Adapters() ([]Adapter, error) {
	list, err := l.allAdapters()
	return slices.DeleteFunc(list, func(a Adapter) bool { return a.processor }), err
}

// allAdapters are the adapters in ONNX Runtime's order, with those that are processors.
func (l *Library) allAdapters() ([]Adapter, error) {
	var found [mostAdapters]C.conch_adapter
	var count C.size_t
	var cErr C.conch_error
	C.conch_adapters(l.c, &found[0], mostAdapters, &count, &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	var list []Adapter
	numbers := map[unsafe.Pointer]int{}
	for _, a := range found[:min(count, mostAdapters)] {
		if _, known := numbers[a.hardware]; !known {
			numbers[a.hardware] = len(numbers)
		}
		list = append(list, Adapter{
			Provider: C.GoString(a.provider), NPU: a._type == typeNPU, Hardware: numbers[a.hardware],
			Vendor: uint32(a.vendor), Device: uint32(a.device), Name: C.GoString(a.description), Maker: C.GoString(a.vendor_name),
			Place: C.GoString(a.place), providerName: C.GoString(a.provider_name), processor: a._type != typeGPU && a._type != typeNPU,
		})
	}
	return list, nil
}

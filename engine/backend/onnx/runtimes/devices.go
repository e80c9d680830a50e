package runtimes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"conch/engine/backend/onnx/ort"
	"conch/engine/device"
	"conch/engine/period"
)

// Device is a GPU of the machine, or an accelerator for neural networks, that a library can use.
type Device struct {
	NPU       bool     `json:"npu"`       // it is for neural networks alone
	Name      string   `json:"name"`      // "AMD Radeon RX 7900"; "" where the system does not tell
	Maker     string   `json:"maker"`     // "AMD"; "" where that is not known
	Vendor    uint32   `json:"vendor"`    // the maker's number
	Number    uint32   `json:"number"`    // of what it made
	Place     string   `json:"place"`     // on the bus, "0000:03:00.0"; "" where the system does not tell
	Providers []string `json:"providers"` // that can use it, short: "WebGPU"
}

// nvidias is the number of the maker whose GPUs the driver tells of.
const nvidias = 0x10de

// makers are those of GPUs and NPUs, by their numbers on the bus: systems do not always name them.
var makers = map[uint32]string{
	0x1002: "AMD", 0x1022: "AMD", 0x106b: "Apple", nvidias: "NVIDIA", 0x13b5: "Arm", 0x1414: "Microsoft",
	0x17cb: "Qualcomm", 0x5143: "Qualcomm", 0x8086: "Intel",
}

// longestList bounds how long a library that works may take to list its devices. It has looked for them when it was opened.
const longestList = 5 * time.Second

// devicesOf asks a library for its devices; or it says why the library does not tell. Models run without them, too.
func devicesOf(library *ort.Library) (list []Device, silence string) {
	type answer struct {
		adapters []ort.Adapter
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		adapters, err := library.Adapters()
		answers <- answer{adapters, err}
	}()
	select {
	case got := <-answers:
		if got.err != nil {
			return nil, got.err.Error()
		}
		return joined(got.adapters), ""
	case <-time.After(longestList):
		return nil, fmt.Sprintf("it has not answered within %s", period.Text(longestList))
	}
}

// joined are the devices, each once, with the providers that can use it.
func joined(adapters []ort.Adapter) (list []Device) {
	at := map[int]int{}
	for _, a := range adapters {
		i, known := at[a.Hardware]
		if !known {
			i = len(list)
			at[a.Hardware] = i
			list = append(list, Device{
				NPU: a.NPU, Name: a.Name, Maker: cmp.Or(makers[a.Vendor], a.Maker), Vendor: a.Vendor, Number: a.Device, Place: a.Place,
			})
		}
		provider, _, _ := strings.Cut(a.Provider, ".") // OpenVINO's choice among devices is "OpenVINOExecutionProvider.AUTO"
		list[i].Providers = add(list[i].Providers, ort.ShortName(provider))
	}
	return list
}

// Others are the devices that the driver of NVIDIA's GPUs does not tell of.
func (r Report) Others(machine device.Snapshot) []Device {
	return slices.DeleteFunc(slices.Clone(r.Devices), func(d Device) bool { return d.Vendor == nvidias && told(d, machine) })
}

// told reports whether the driver tells of a GPU of NVIDIA's. Of one that it has lost it tells no place.
func told(d Device, machine device.Snapshot) bool {
	return len(machine.Lost) > 0 || slices.ContainsFunc(machine.GPUs, func(g device.GPU) bool {
		return d.Place == "" || g.Bus == "" || strings.EqualFold(d.Place, g.Bus)
	})
}

// Kind is "GPU" or "NPU".
func (d Device) Kind() string {
	if d.NPU {
		return "NPU"
	}
	return "GPU"
}

// ID are the numbers of the maker and of what it made, "1002:744c".
func (d Device) ID() string { return fmt.Sprintf("%04x:%04x", d.Vendor, d.Number) }

// String is the device in words: "GPU AMD Radeon 1002:744c by WebGPU, DirectML".
func (d Device) String() string {
	return d.Kind() + " " + strings.TrimLeft(cmp.Or(d.Name, d.Maker)+" ", " ") + d.ID() + " by " + strings.Join(d.Providers, ", ")
}

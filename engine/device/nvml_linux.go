package device

import (
	"fmt"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"conch/engine/sharedlib"
)

// libraryName is the file of NVIDIA's management library.
const libraryName = "libnvidia-ml.so.1"

// result is what a function of the library returns.
type result = nvml.Return

const (
	success         = nvml.SUCCESS
	noPermission    = nvml.ERROR_NO_PERMISSION
	libraryNotFound = nvml.ERROR_LIBRARY_NOT_FOUND
	driverNotLoaded = nvml.ERROR_DRIVER_NOT_LOADED
	gpuIsLost       = nvml.ERROR_GPU_IS_LOST
	resetRequired   = nvml.ERROR_RESET_REQUIRED
)

func newLibrary() library {
	api := nvml.New()
	return &management{api: wrapped{api, list}, usable: usable, noCUDA: sharedlib.NoCUDA, has: func(symbol string) bool { return api.Extensions().LookupSymbol(symbol) == nil }}
}

// usable opens the library as nvml does and looks for what it needs.
func usable() error {
	if err := sharedlib.SoundDriver(libraryName); err != nil {
		return err
	}
	l := dl.New(libraryName, dl.RTLD_LAZY|dl.RTLD_GLOBAL)
	if err := l.Open(); err != nil {
		if strings.HasPrefix(err.Error(), libraryName+": cannot open shared object file") {
			return errAbsent
		}
		return fmt.Errorf("open the driver's library: %s", word(err.Error()))
	}
	defer func() { _ = l.Close() }()
	return lacking(libraryName, func(symbol string) bool { return l.Lookup(symbol) == nil })
}

// wrapped is go-nvml's binding of the library, and the one function that is called past it.
type wrapped struct {
	api  nvml.Interface
	list func(d nvml.Device, symbol string, count *uint32, entries []uint64) result
}

func (w wrapped) start() result        { return w.api.Init() }
func (w wrapped) stop()                { w.api.Shutdown() }
func (w wrapped) count() (int, result) { return w.api.DeviceGetCount() }

func (w wrapped) driverVersion() string {
	version, _ := w.api.SystemGetDriverVersion()
	return version
}

func (w wrapped) cudaVersion() int {
	version, _ := w.api.SystemGetCudaDriverVersion()
	return version
}

func (w wrapped) device(index int) (nvmlDevice, result) {
	d, ret := w.api.DeviceGetHandleByIndex(index)
	return bound{d, w.list}, ret
}

// bound is a device as go-nvml has it.
type bound struct {
	nvml.Device
	list func(d nvml.Device, symbol string, count *uint32, entries []uint64) result
}

func (b bound) uuid() (string, result)       { return b.GetUUID() }
func (b bound) power() (uint32, result)      { return b.GetPowerUsage() }
func (b bound) powerLimit() (uint32, result) { return b.GetPowerManagementLimit() }
func (b bound) energy() (uint64, result)     { return b.GetTotalEnergyConsumption() }

func (b bound) temperature() (uint32, result) { return b.GetTemperature(nvml.TEMPERATURE_GPU) }

func (b bound) capability() (major, minor int, ret result) { return b.GetCudaComputeCapability() }

func (b bound) name() string {
	name, _ := b.GetName()
	return name
}

func (b bound) bus() (domain, bus, device uint32, ret result) {
	pci, ret := b.GetPciInfo()
	return pci.Domain, pci.Bus, pci.Device, ret
}

func (b bound) memory() (total, used uint64, ret result) {
	memory, ret := b.GetMemoryInfo()
	return memory.Total, memory.Used, ret
}

func (b bound) utilization() (uint32, result) {
	rates, ret := b.GetUtilizationRates()
	return rates.Gpu, ret
}

func (b bound) clock(memory bool) (uint32, result) {
	if memory {
		return b.GetClockInfo(nvml.CLOCK_MEM)
	}
	return b.GetClockInfo(nvml.CLOCK_GRAPHICS)
}

func (b bound) running(symbol string, count *uint32, entries []uint64) result {
	return b.list(b.Device, symbol, count, entries)
}

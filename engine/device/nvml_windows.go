package device

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// libraryName is the file of NVIDIA's management library. go-nvml cannot open it on this system.
const libraryName = "nvml.dll"

// result is what a function of the library returns (nvmlReturn_t).
type result uint32

const (
	success         result = 0
	notSupported    result = 3
	noPermission    result = 4
	driverNotLoaded result = 9
	libraryNotFound result = 12
	gpuIsLost       result = 15
	resetRequired   result = 16
)

// resultNames are the results that people are likely to see, as on other systems.
var resultNames = map[result]string{
	notSupported: "ERROR_NOT_SUPPORTED", noPermission: "ERROR_NO_PERMISSION", driverNotLoaded: "ERROR_DRIVER_NOT_LOADED",
	libraryNotFound: "ERROR_LIBRARY_NOT_FOUND", gpuIsLost: "ERROR_GPU_IS_LOST", resetRequired: "ERROR_RESET_REQUIRED",
}

func (r result) String() string {
	if name := resultNames[r]; name != "" {
		return name
	}
	return fmt.Sprintf("NVML error %d", uint32(r))
}

func newLibrary() library {
	d := &dll{}
	return &management{api: d, has: d.has, usable: d.load}
}

// places are where drivers put the library: today's in the system's folder, and those before 2018 in one of their own.
func places() []string {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil
	}
	list := []string{filepath.Join(system, libraryName)}
	if programs := os.Getenv("ProgramW6432"); filepath.IsAbs(programs) {
		list = append(list, filepath.Join(programs, "NVIDIA Corporation", "NVSMI", libraryName))
	}
	return list
}

// dll is the library, once it is loaded. It stays loaded.
type dll struct{ library *windows.DLL }

func (d *dll) load() error {
	if d.library != nil {
		return nil
	}
	for _, path := range places() {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		l, err := windows.LoadDLL(path)
		if err != nil {
			return unopened(path, err)
		}
		found := &dll{l}
		if err := lacking(path, found.has); err != nil {
			_ = l.Release()
			return err
		}
		d.library = l
		return nil
	}
	return errAbsent
}

// unopened is the error of a library that is there. A library that it needs may not be.
func unopened(path string, err error) error {
	why, known := "", new(windows.DLLError)
	switch {
	case errors.Is(err, windows.ERROR_BAD_EXE_FORMAT):
		return fmt.Errorf("%s is damaged, or no library of this system. Install NVIDIA's driver again", path)
	case errors.Is(err, windows.ERROR_MOD_NOT_FOUND):
		why = "a library that it needs is missing"
	case errors.As(err, &known):
		why = word(known.Err.Error())
	default:
		why = word(err.Error())
	}
	return fmt.Errorf("%s cannot be opened: %s. Install NVIDIA's driver again", path, strings.TrimSuffix(why, "."))
}

func (d *dll) has(symbol string) bool {
	_, err := d.library.FindProc(symbol)
	return err == nil
}

// call calls the first of the functions that the library has. What a pointer among the arguments points to stays where it is.
//
//go:uintptrescapes
func (d *dll) call(names []string, arguments ...uintptr) result {
	for _, name := range names {
		if f, err := d.library.FindProc(name); err == nil {
			code, _, _ := syscall.SyscallN(f.Addr(), arguments...)
			return result(code)
		}
	}
	return notSupported
}

func (d *dll) start() result { return d.call([]string{"nvmlInit_v2", "nvmlInit"}) }
func (d *dll) stop()         { d.call([]string{"nvmlShutdown"}) }

func (d *dll) count() (int, result) {
	var n uint32
	ret := d.call([]string{"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, uintptr(unsafe.Pointer(&n)))
	return int(n), ret
}

func (d *dll) driverVersion() string {
	var text buffer
	if d.call([]string{"nvmlSystemGetDriverVersion"}, uintptr(unsafe.Pointer(&text)), uintptr(len(text))) != success {
		return ""
	}
	return text.String()
}

func (d *dll) cudaVersion() int {
	var n int32
	if d.call([]string{"nvmlSystemGetCudaDriverVersion"}, uintptr(unsafe.Pointer(&n))) != success {
		return 0
	}
	return int(n)
}

func (d *dll) device(index int) (nvmlDevice, result) {
	g := dllDevice{dll: d}
	ret := d.call([]string{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, uintptr(index), uintptr(unsafe.Pointer(&g.handle)))
	return g, ret
}

// buffer is where the library writes a text: it names no longer one.
type buffer [96]byte

func (b *buffer) String() string { return windows.ByteSliceToString(b[:]) }

// dllDevice is a GPU.
type dllDevice struct {
	dll    *dll
	handle uintptr
}

// number asks for a number.
func (g dllDevice) number(name string) (n uint32, ret result) {
	ret = g.dll.call([]string{name}, g.handle, uintptr(unsafe.Pointer(&n)))
	return n, ret
}

// chosen asks for a number of a kind.
func (g dllDevice) chosen(name string, kind uintptr) (n uint32, ret result) {
	ret = g.dll.call([]string{name}, g.handle, kind, uintptr(unsafe.Pointer(&n)))
	return n, ret
}

func (g dllDevice) text(name string) (string, result) {
	var text buffer
	ret := g.dll.call([]string{name}, g.handle, uintptr(unsafe.Pointer(&text)), uintptr(len(text)))
	return text.String(), ret
}

func (g dllDevice) uuid() (string, result)  { return g.text("nvmlDeviceGetUUID") }
func (g dllDevice) power() (uint32, result) { return g.number("nvmlDeviceGetPowerUsage") }
func (g dllDevice) powerLimit() (uint32, result) {
	return g.number("nvmlDeviceGetPowerManagementLimit")
}

func (g dllDevice) name() string {
	name, _ := g.text("nvmlDeviceGetName")
	return name
}

// pciInfo is nvmlPciInfo_t.
type pciInfo struct {
	_                                      [16]byte
	domain, bus, device, number, subsystem uint32
	_                                      [32]byte
}

func (g dllDevice) bus() (domain, bus, device uint32, ret result) {
	var pci pciInfo
	ret = g.dll.call([]string{"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"}, g.handle, uintptr(unsafe.Pointer(&pci)))
	return pci.domain, pci.bus, pci.device, ret
}

func (g dllDevice) capability() (major, minor int, ret result) {
	var parts [2]int32
	ret = g.dll.call([]string{"nvmlDeviceGetCudaComputeCapability"}, g.handle, uintptr(unsafe.Pointer(&parts[0])), uintptr(unsafe.Pointer(&parts[1])))
	return int(parts[0]), int(parts[1]), ret
}

func (g dllDevice) memory() (total, used uint64, ret result) {
	var bytes struct{ total, free, used uint64 } // nvmlMemory_t
	ret = g.dll.call([]string{"nvmlDeviceGetMemoryInfo"}, g.handle, uintptr(unsafe.Pointer(&bytes)))
	return bytes.total, bytes.used, ret
}

func (g dllDevice) utilization() (uint32, result) {
	var rates struct{ gpu, memory uint32 } // nvmlUtilization_t
	ret := g.dll.call([]string{"nvmlDeviceGetUtilizationRates"}, g.handle, uintptr(unsafe.Pointer(&rates)))
	return rates.gpu, ret
}

func (g dllDevice) energy() (n uint64, ret result) {
	ret = g.dll.call([]string{"nvmlDeviceGetTotalEnergyConsumption"}, g.handle, uintptr(unsafe.Pointer(&n)))
	return n, ret
}

func (g dllDevice) temperature() (uint32, result) {
	const ofGPU = 0
	return g.chosen("nvmlDeviceGetTemperature", ofGPU)
}

func (g dllDevice) clock(memory bool) (uint32, result) {
	const graphics, ofMemory = 0, 2
	if memory {
		return g.chosen("nvmlDeviceGetClockInfo", ofMemory)
	}
	return g.chosen("nvmlDeviceGetClockInfo", graphics)
}

func (g dllDevice) running(symbol string, count *uint32, entries []uint64) result {
	return g.dll.call([]string{symbol}, g.handle, uintptr(unsafe.Pointer(count)), uintptr(unsafe.Pointer(&entries[0])))
}

// parts are none: no GPU is divided on this system.
func (dllDevice) parts(func(string) bool) (bool, bool, []Instance) { return false, false, nil }

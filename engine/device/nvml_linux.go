package device

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"conch/engine/sharedlib"
)

// libraryName is the file of NVIDIA's management library.
const libraryName = "libnvidia-ml.so.1"

// management is NVIDIA's management library. It is loaded when it is opened, so Conch does not need it.
type management struct {
	api nvml.Interface
	// has tells whether the library has a function. The library of an old driver lacks the newer ones, others lack more, and
	// a call of one that it lacks would end the process.
	has func(symbol string) bool
	// usable says why the library cannot be used, before it is.
	usable func() error
}

func newLibrary() library {
	api := nvml.New()
	return &management{api: api, usable: usable, has: func(symbol string) bool { return api.Extensions().LookupSymbol(symbol) == nil }}
}

// needed are the functions without which no GPU is read, each under the names of which one suffices.
var needed = [][]string{
	{"nvmlInit_v2", "nvmlInit"}, {"nvmlShutdown"}, {"nvmlErrorString"}, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"},
	{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, {"nvmlDeviceGetUUID"},
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
	for _, names := range needed {
		if !slices.ContainsFunc(names, func(name string) bool { return l.Lookup(name) == nil }) {
			return fmt.Errorf("%s lacks %s, so it is not the library of a driver", libraryName, names[0])
		}
	}
	return nil
}

func (m *management) open() error {
	if err := m.usable(); err != nil {
		return err
	}
	switch ret := m.api.Init(); ret {
	case nvml.SUCCESS:
		return nil
	case nvml.ERROR_LIBRARY_NOT_FOUND, nvml.ERROR_DRIVER_NOT_LOADED:
		return errAbsent
	default:
		return failure("open NVML", ret)
	}
}

func (m *management) close() { m.api.Shutdown() }

func (m *management) read() (Snapshot, error) {
	var s Snapshot
	count, ret := m.api.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return s, failure("count the GPUs", ret)
	}
	if count < 0 || count > mostGPUs {
		return s, fmt.Errorf("the driver tells of %d GPUs", count)
	}
	if m.has("nvmlSystemGetDriverVersion") {
		version, _ := m.api.SystemGetDriverVersion()
		s.Driver = word(version)
	}
	if m.has("nvmlSystemGetCudaDriverVersion") {
		version, _ := m.api.SystemGetCudaDriverVersion()
		s.CUDA = cudaText(version)
	}
	for i := range count {
		d, ret := m.api.DeviceGetHandleByIndex(i)
		if ret == nvml.ERROR_NO_PERMISSION { // another user's, in a container
			continue
		}
		g := GPU{Index: i}
		if ret == nvml.SUCCESS {
			g, ret = m.gpu(i, d)
		}
		if lost(ret) && count > 1 {
			s.Lost = append(s.Lost, i)
			continue
		}
		if ret != nvml.SUCCESS {
			return s, failure(fmt.Sprintf("reach GPU %d", i), ret)
		}
		if g.UUID == "" || slices.ContainsFunc(s.GPUs, func(other GPU) bool { return other.UUID == g.UUID }) {
			return s, fmt.Errorf("the driver tells of GPU %d the UUID %q, which is that of no GPU or of another one", i, g.UUID)
		}
		s.GPUs = append(s.GPUs, g)
	}
	if len(s.Lost) == count && count > 0 {
		return s, failure("reach any GPU", nvml.ERROR_GPU_IS_LOST)
	}
	return s, nil
}

// lost reports that a GPU has fallen off the bus.
func lost(ret nvml.Return) bool {
	return ret == nvml.ERROR_GPU_IS_LOST || ret == nvml.ERROR_RESET_REQUIRED
}

func (m *management) gpu(index int, d nvml.Device) (GPU, nvml.Return) {
	uuid, ret := d.GetUUID()
	if ret != nvml.SUCCESS {
		return GPU{}, ret
	}
	g := GPU{Index: index, UUID: word(uuid)}
	m.identity(&g, d)
	if m.has("nvmlDeviceGetMigMode") {
		now, _, ret := d.GetMigMode()
		g.MIG = ret == nvml.SUCCESS && now == nvml.DEVICE_MIG_ENABLE
	}
	if g.MIG {
		g.Instances = m.instances(d)
	}
	g.Total, g.Used = m.memory(d)
	m.work(&g, d)
	g.Processes = m.processes(d)
	return g, nvml.SUCCESS
}

// identity reads what a GPU is.
func (m *management) identity(g *GPU, d nvml.Device) {
	if m.has("nvmlDeviceGetName") {
		name, _ := d.GetName()
		g.Name = word(name)
	}
	if m.has("nvmlDeviceGetPciInfo_v3") || m.has("nvmlDeviceGetPciInfo_v2") || m.has("nvmlDeviceGetPciInfo") {
		if pci, ret := d.GetPciInfo(); ret == nvml.SUCCESS {
			g.Bus = fmt.Sprintf("%04x:%02x:%02x.0", pci.Domain, pci.Bus, pci.Device)
		}
	}
	if !m.has("nvmlDeviceGetCudaComputeCapability") {
		return
	}
	if major, minor, ret := d.GetCudaComputeCapability(); ret == nvml.SUCCESS && major > 0 && major <= mostVersion && minor >= 0 && minor <= mostVersion {
		g.Capability = fmt.Sprintf("%d.%d", major, minor)
	}
}

func (m *management) memory(d nvml.Device) (total, used float64) {
	if !m.has("nvmlDeviceGetMemoryInfo") {
		return math.NaN(), math.NaN()
	}
	memory, ret := d.GetMemoryInfo()
	if ret != nvml.SUCCESS {
		return math.NaN(), math.NaN()
	}
	total = within(float64(memory.Total), 1, mostMemory)
	return total, within(float64(memory.Used), 0, total)
}

func (m *management) work(g *GPU, d nvml.Device) {
	number := func(low, high, unit float64, symbol string, read func() (float64, nvml.Return)) float64 {
		if !m.has(symbol) {
			return math.NaN()
		}
		n, ret := read()
		if ret != nvml.SUCCESS {
			return math.NaN()
		}
		return within(n/unit, low, high)
	}
	g.Utilization = number(0, 1, 100, "nvmlDeviceGetUtilizationRates", func() (float64, nvml.Return) {
		rates, ret := d.GetUtilizationRates()
		return float64(rates.Gpu), ret
	})
	g.Power = number(0, mostPower, 1000, "nvmlDeviceGetPowerUsage", func() (float64, nvml.Return) {
		n, ret := d.GetPowerUsage()
		return float64(n), ret
	})
	g.MaxPower = number(0, mostPower, 1000, "nvmlDeviceGetEnforcedPowerLimit", func() (float64, nvml.Return) {
		n, ret := d.GetEnforcedPowerLimit()
		return float64(n), ret
	})
	g.Energy = number(0, math.MaxInt64, 1000, "nvmlDeviceGetTotalEnergyConsumption", func() (float64, nvml.Return) {
		n, ret := d.GetTotalEnergyConsumption()
		return float64(n), ret
	})
	g.Temperature = number(0, mostHeat, 1, "nvmlDeviceGetTemperature", func() (float64, nvml.Return) {
		n, ret := d.GetTemperature(nvml.TEMPERATURE_GPU)
		return float64(n), ret
	})
	clock := func(kind nvml.ClockType) float64 {
		return number(0, mostClock, 1, "nvmlDeviceGetClockInfo", func() (float64, nvml.Return) {
			n, ret := d.GetClockInfo(kind)
			return float64(n), ret
		})
	}
	g.Clock, g.MemClock = clock(nvml.CLOCK_GRAPHICS), clock(nvml.CLOCK_MEM)
}

// processes returns the programs that compute on a GPU.
func (m *management) processes(d nvml.Device) (list []Process) {
	if !m.has("nvmlDeviceGetComputeRunningProcesses_v3") && !m.has("nvmlDeviceGetComputeRunningProcesses") {
		return nil
	}
	all, ret := d.GetComputeRunningProcesses()
	if ret != nvml.SUCCESS {
		return nil
	}
	for _, p := range all[:min(len(all), mostProcesses)] {
		list = append(list, Process{PID: int(p.Pid), Used: within(float64(p.UsedGpuMemory), 0, mostMemory)})
	}
	return list
}

func failure(what string, ret nvml.Return) error { return fmt.Errorf("%s: %s", what, ret) }

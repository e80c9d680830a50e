//go:build linux || windows

package device

import (
	"fmt"
	"math"
	"slices"
)

// management is NVIDIA's management library (NVML). It is opened at run time, so Conch does not need it.
type management struct {
	api nvmlAPI
	// has tells whether the library has a function. The library of an old driver lacks the newer ones, others lack more, and
	// a call of one that it lacks would end the process.
	has func(symbol string) bool
	// usable says why the library cannot be used, before it is.
	usable func() error
	// noCUDA says why CUDA cannot be used; nil does not know.
	noCUDA func() string
	// cuda is set when CUDA was found. It is looked for in folders of the system, and not again with every answer of an open library.
	cuda bool
}

// nvmlAPI is what is asked of the library, as it answers on each system.
type nvmlAPI interface {
	start() result
	stop()
	count() (int, result)
	driverVersion() string
	cudaVersion() int
	device(index int) (nvmlDevice, result)
}

// nvmlDevice is a GPU, or a part of one.
type nvmlDevice interface {
	uuid() (string, result)
	name() string
	bus() (domain, bus, device uint32, ret result)
	capability() (major, minor int, ret result)
	memory() (total, used uint64, ret result)
	utilization() (percent uint32, ret result)
	power() (milliwatts uint32, ret result)
	powerLimit() (milliwatts uint32, ret result)
	energy() (millijoules uint64, ret result)
	temperature() (degrees uint32, ret result)
	clock(memory bool) (megahertz uint32, ret result)
	// running has the library's function write the programs that compute on the GPU into entries. Count is for how many there is room, and
	// then what the library says.
	running(symbol string, count *uint32, entries []uint64) result
	// parts lists the instances of a GPU that is divided. It is empty where the driver says that there are none.
	parts(has func(symbol string) bool) (divided, empty bool, list []Instance)
}

// needed are the functions without which no GPU is read, each under the names of which one suffices.
var needed = [][]string{
	{"nvmlInit_v2", "nvmlInit"}, {"nvmlShutdown"}, {"nvmlErrorString"}, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"},
	{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, {"nvmlDeviceGetUUID"},
}

// lacking is the error of a library that lacks one of them.
func lacking(library string, has func(symbol string) bool) error {
	for _, names := range needed {
		if !slices.ContainsFunc(names, has) {
			return fmt.Errorf("%s lacks %s, so it is not the library of a driver", library, names[0])
		}
	}
	return nil
}

func (m *management) open() error {
	if err := m.usable(); err != nil {
		return err
	}
	switch ret := m.api.start(); ret {
	case success:
		return nil
	case libraryNotFound, driverNotLoaded:
		return errAbsent
	default:
		return failure("open NVML", ret)
	}
}

func (m *management) close() {
	m.api.stop()
	m.cuda = false
}

func (m *management) read() (Snapshot, error) {
	var s Snapshot
	count, ret := m.api.count()
	if ret != success {
		return s, failure("count the GPUs", ret)
	}
	if count < 0 || count > mostGPUs {
		return s, fmt.Errorf("the driver tells of %d GPUs", count)
	}
	if m.has("nvmlSystemGetDriverVersion") {
		s.Driver = word(m.api.driverVersion())
	}
	if m.has("nvmlSystemGetCudaDriverVersion") {
		s.CUDA = cudaText(m.api.cudaVersion())
	}
	number := 0
	var unreached error // the first GPU that the driver did not reach, with another error than that it is lost
	for i := range count {
		d, ret := m.api.device(i)
		if ret == noPermission { // another user's, in a container: CUDA does not count it
			continue
		}
		g := GPU{Index: number}
		if ret == success {
			g, ret = m.gpu(number, d)
		}
		if ret != success { // of one that fell off the bus many drivers say that the error is not known
			if !lost(ret) && unreached == nil {
				unreached = failure(fmt.Sprintf("reach GPU %d", number), ret)
			}
			s.Lost = append(s.Lost, number)
			number++
			continue
		}
		if g.UUID == "" || slices.ContainsFunc(s.GPUs, func(other GPU) bool { return other.UUID == g.UUID }) {
			return s, fmt.Errorf("the driver tells of GPU %d the UUID %q, which is that of no GPU or of another one", number, g.UUID)
		}
		s.GPUs = append(s.GPUs, g)
		number++
	}
	if unreached != nil && len(s.GPUs) == 0 { // the trouble is the driver's, not that of one GPU
		return s, unreached
	}
	if m.noCUDA != nil && !m.cuda && len(s.GPUs) > 0 {
		s.NoCUDA = m.noCUDA()
		m.cuda = s.NoCUDA == ""
	}
	if s.NoCUDA == "" && len(s.GPUs) > 0 && !slices.ContainsFunc(s.GPUs, func(g GPU) bool { return !g.Empty }) {
		s.NoCUDA = noInstances
	}
	return s, nil
}

// noInstances is why CUDA uses no GPU where all are divided and none has an instance.
const noInstances = "CUDA cannot be used: the GPUs are divided (MIG) and have no instances. Make instances with `nvidia-smi mig`, or turn MIG off"

// lost reports that a GPU has fallen off the bus.
func lost(ret result) bool {
	return ret == gpuIsLost || ret == resetRequired
}

func (m *management) gpu(index int, d nvmlDevice) (GPU, result) {
	uuid, ret := d.uuid()
	if ret != success {
		return GPU{}, ret
	}
	g := GPU{Index: index, UUID: word(uuid)}
	m.identity(&g, d)
	g.MIG, g.Empty, g.Instances = d.parts(m.has)
	g.Total, g.Used = memoryOf(d, m.has)
	m.work(&g, d)
	g.Processes = m.processes(d)
	return g, success
}

// identity reads what a GPU is.
func (m *management) identity(g *GPU, d nvmlDevice) {
	if m.has("nvmlDeviceGetName") {
		g.Name = word(d.name())
	}
	if m.has("nvmlDeviceGetPciInfo_v3") || m.has("nvmlDeviceGetPciInfo_v2") || m.has("nvmlDeviceGetPciInfo") {
		if domain, bus, device, ret := d.bus(); ret == success {
			g.Bus = fmt.Sprintf("%04x:%02x:%02x.0", domain, bus, device)
		}
	}
	if !m.has("nvmlDeviceGetCudaComputeCapability") {
		return
	}
	if major, minor, ret := d.capability(); ret == success && major > 0 && major <= mostVersion && minor >= 0 && minor <= mostVersion {
		g.Capability = fmt.Sprintf("%d.%d", major, minor)
	}
}

func memoryOf(d nvmlDevice, has func(symbol string) bool) (total, used float64) {
	if !has("nvmlDeviceGetMemoryInfo") {
		return math.NaN(), math.NaN()
	}
	all, taken, ret := d.memory()
	if ret != success {
		return math.NaN(), math.NaN()
	}
	total = within(float64(all), 1, mostMemory)
	return total, within(float64(taken), 0, total)
}

func (m *management) work(g *GPU, d nvmlDevice) {
	number := func(low, high, unit float64, symbol string, read func() (float64, result)) float64 {
		if !m.has(symbol) {
			return math.NaN()
		}
		n, ret := read()
		if ret != success {
			return math.NaN()
		}
		return within(n/unit, low, high)
	}
	small := func(n uint32, ret result) (float64, result) { return float64(n), ret }
	g.Utilization = number(0, 1, 100, "nvmlDeviceGetUtilizationRates", func() (float64, result) { return small(d.utilization()) })
	g.Power = number(0, mostPower, 1000, "nvmlDeviceGetPowerUsage", func() (float64, result) { return small(d.power()) })
	g.MaxPower = number(0, mostPower, 1000, "nvmlDeviceGetPowerManagementLimit", func() (float64, result) { return small(d.powerLimit()) })
	g.Energy = number(0, math.MaxInt64, 1000, "nvmlDeviceGetTotalEnergyConsumption", func() (float64, result) {
		n, ret := d.energy()
		return float64(n), ret
	})
	g.Temperature = number(0, mostHeat, 1, "nvmlDeviceGetTemperature", func() (float64, result) { return small(d.temperature()) })
	clock := func(memory bool) float64 {
		return number(0, mostClock, 1, "nvmlDeviceGetClockInfo", func() (float64, result) { return small(d.clock(memory)) })
	}
	g.Clock, g.MemClock = clock(false), clock(true)
}

// listings are the functions that list the programs that compute on a GPU, the newest first, each with the words of 8 bytes that it
// writes for one: the process ID, how much memory the program has and, but for the oldest, two more numbers (nvmlProcessInfo_t).
var listings = []struct {
	symbol string
	words  int
}{
	{"nvmlDeviceGetComputeRunningProcesses_v3", 3}, {"nvmlDeviceGetComputeRunningProcesses_v2", 3}, {"nvmlDeviceGetComputeRunningProcesses", 2},
}

// processes returns the programs that compute on a GPU: none where there are more than are believed, or where the library says so. On Windows,
// which manages the memory itself, the driver does not tell how much each has.
func (m *management) processes(d nvmlDevice) (list []Process) {
	for _, l := range listings {
		if !m.has(l.symbol) {
			continue
		}
		entries, count := make([]uint64, mostProcesses*l.words), uint32(mostProcesses)
		if ret := d.running(l.symbol, &count, entries); ret != success || count > mostProcesses {
			return nil
		}
		for e := range slices.Chunk(entries[:int(count)*l.words], l.words) {
			list = append(list, Process{PID: int(uint32(e[0])), Used: within(float64(e[1]), 0, mostMemory)})
		}
		return list
	}
	return nil
}

func failure(what string, ret result) error { return fmt.Errorf("%s: %s", what, word(ret.String())) }

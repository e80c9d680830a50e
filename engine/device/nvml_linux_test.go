package device

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxa100"
)

// machine is go-nvml's mock of a machine with eight A100s, which tell what they do.
func machine() (*dgxa100.Server, *management) {
	server := dgxa100.New()
	for i, d := range server.Devices {
		d := d.(*dgxa100.Device)
		d.MemoryInfo = nvml.Memory{Total: 40 << 30, Used: uint64(i) << 30}
		d.GetUtilizationRatesFunc = func() (nvml.Utilization, nvml.Return) { return nvml.Utilization{Gpu: uint32(10 * i)}, nvml.SUCCESS }
		d.GetPowerUsageFunc = func() (uint32, nvml.Return) { return 55_500, nvml.SUCCESS }
		d.GetPowerManagementLimitFunc = func() (uint32, nvml.Return) { return 400_000, nvml.SUCCESS } // as Triton's metric has it
		d.GetEnforcedPowerLimitFunc = func() (uint32, nvml.Return) { return 250_000, nvml.SUCCESS }
		d.GetTotalEnergyConsumptionFunc = func() (uint64, nvml.Return) { return 1_234_000, nvml.SUCCESS }
		d.GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 31, nvml.SUCCESS }
		d.GetClockInfoFunc = func(kind nvml.ClockType) (uint32, nvml.Return) {
			return map[nvml.ClockType]uint32{nvml.CLOCK_GRAPHICS: 1410, nvml.CLOCK_MEM: 1215}[kind], nvml.SUCCESS
		}
		d.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) {
			return []nvml.ProcessInfo{{Pid: 77, UsedGpuMemory: 5 << 20}}, nvml.SUCCESS
		}
	}
	return server, &management{api: wrapped{server, listed}, has: func(string) bool { return true }, usable: func() error { return nil }}
}

// listed answers as the library's function does with what go-nvml's mock tells.
func listed(d nvml.Device, _ string, count *uint32, entries []uint64) result {
	all, ret := d.GetComputeRunningProcesses()
	for i, p := range all {
		entries[3*i], entries[3*i+1] = uint64(p.Pid), p.UsedGpuMemory
	}
	*count = uint32(len(all))
	return ret
}

// That CUDA cannot be used is told where there are GPUs that would use it. CUDA that was found is not looked for with every answer.
func TestGPUsWithoutCUDA(t *testing.T) {
	server, m := machine()
	m.noCUDA = func() string { return "libcuda.so.1 is missing" }
	if s, err := m.read(); err != nil || s.NoCUDA != m.noCUDA() {
		t.Errorf("%q, %v", s.NoCUDA, err)
	}
	looked := 0
	m.noCUDA = func() string { looked++; return "" }
	for range 3 {
		if s, err := m.read(); err != nil || s.NoCUDA != "" || looked != 1 {
			t.Errorf("with CUDA: %q, %v, looked %d times", s.NoCUDA, err, looked)
		}
	}
	m.close() // another driver may come
	m.noCUDA = func() string { return "libcuda.so.1 is missing" }
	if s, err := m.read(); err != nil || s.NoCUDA != m.noCUDA() {
		t.Errorf("after CUDA was removed: %q, %v", s.NoCUDA, err)
	}
	server.DeviceGetCountFunc = func() (int, nvml.Return) { return 0, nvml.SUCCESS }
	if s, err := m.read(); err != nil || s.NoCUDA != "" {
		t.Errorf("without a GPU: %q, %v", s.NoCUDA, err)
	}
}

func TestGPUsOfAMachine(t *testing.T) {
	_, m := machine()
	if err := m.open(); err != nil {
		t.Fatal(err)
	}
	s, err := m.read()
	if err != nil || len(s.GPUs) != 8 || s.Driver != "550.54.15" || s.CUDA != "12.4" {
		t.Fatalf("%+v, %v", s, err)
	}
	g := s.GPUs[3]
	if g.Index != 3 || !strings.HasPrefix(g.UUID, "GPU-") || g.Name != "Mock NVIDIA A100-SXM4-40GB" || g.Capability != "8.0" || g.MIG {
		t.Errorf("%+v", g)
	}
	if g.Total != 40<<30 || g.Used != 3<<30 || g.Utilization != 0.3 || g.Power != 55.5 || g.MaxPower != 400 || g.Energy != 1234 {
		t.Errorf("%+v", g)
	}
	if g.Temperature != 31 || g.Clock != 1410 || g.MemClock != 1215 || len(g.Processes) != 1 || g.Processes[0] != (Process{PID: 77, Used: 5 << 20}) {
		t.Errorf("%+v", g)
	}
}

// mig is an instance of a GPU that is divided, as go-nvml's mock has a device.
func mig(uuid, name string, number, compute int, a nvml.DeviceAttributes) *mock.Device {
	return &mock.Device{
		GetUUIDFunc:              func() (string, nvml.Return) { return uuid, nvml.SUCCESS },
		GetNameFunc:              func() (string, nvml.Return) { return name, nvml.SUCCESS },
		GetGpuInstanceIdFunc:     func() (int, nvml.Return) { return number, nvml.SUCCESS },
		GetComputeInstanceIdFunc: func() (int, nvml.Return) { return compute, nvml.SUCCESS },
		GetMemoryInfoFunc: func() (nvml.Memory, nvml.Return) {
			return nvml.Memory{Total: a.MemorySizeMB << 20, Used: 1 << 20}, nvml.SUCCESS
		},
		GetAttributesFunc: func() (nvml.DeviceAttributes, nvml.Return) { return a, nvml.SUCCESS },
	}
}

// The instances of a divided GPU are listed by number, with what the driver tells of each. What cannot be is left out.
func TestInstancesOfADividedGPU(t *testing.T) {
	server, m := machine()
	d := server.Devices[2].(*dgxa100.Device)
	d.MigMode = nvml.DEVICE_MIG_ENABLE
	half := nvml.DeviceAttributes{GpuInstanceSliceCount: 3, ComputeInstanceSliceCount: 3, MemorySizeMB: 19968}
	unread := mig("MIG-c", "", -7, 1<<30, nvml.DeviceAttributes{GpuInstanceSliceCount: 2, ComputeInstanceSliceCount: 1, MemorySizeMB: 9728})
	unread.GetMemoryInfoFunc = func() (nvml.Memory, nvml.Return) { return nvml.Memory{}, nvml.ERROR_NOT_SUPPORTED }
	parts := map[int]*mock.Device{
		0: mig("MIG-b", "Mock NVIDIA A100-SXM4-40GB MIG 3g.20gb", 2, 0, half),
		2: mig("MIG-a", "Mock NVIDIA A100-SXM4-40GB MIG 1g.5gb", 1, 0, nvml.DeviceAttributes{MemorySizeMB: 4864}),
		3: unread,
		4: mig("MIG-a", "again", 3, 0, half),
		5: mig("\xff", "of no UUID", 4, 0, half),
	}
	d.GetMaxMigDeviceCountFunc = func() (int, nvml.Return) { return 7, nvml.SUCCESS }
	d.GetMigDeviceHandleByIndexFunc = func(i int) (nvml.Device, nvml.Return) {
		if part := parts[i]; part != nil {
			return part, nvml.SUCCESS
		}
		return nil, nvml.ERROR_NOT_FOUND
	}
	s, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	g := s.GPUs[2]
	want := []Instance{
		{Number: -1, Compute: -1, UUID: "MIG-c", Profile: "1c.2g.10gb", Total: 9728 << 20},
		{Number: 1, UUID: "MIG-a", Profile: "1g.5gb", Total: 4864 << 20, Used: 1 << 20},
		{Number: 2, UUID: "MIG-b", Profile: "3g.20gb", Total: 19968 << 20, Used: 1 << 20},
	}
	if len(g.Instances) == 3 && math.IsNaN(g.Instances[0].Used) {
		g.Instances[0].Used = 0
	}
	if !slices.Equal(g.Instances, want) || g.Profiles() != "1c.2g.10gb, 1g.5gb, 3g.20gb" || s.GPUs[1].Instances != nil || s.GPUs[1].Profiles() != "" {
		t.Errorf("%+v", g.Instances)
	}
	g.Instances = append(g.Instances, want[1], want[1])
	if got := g.Profiles(); got != "1c.2g.10gb, 3 × 1g.5gb, 3g.20gb" {
		t.Errorf("its parts are %s", got)
	}
	if g.Empty {
		t.Error("a GPU with instances is called empty")
	}
	handles := d.GetMigDeviceHandleByIndexFunc
	d.GetMigDeviceHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_NOT_FOUND }
	if s, err := m.read(); err != nil || !s.GPUs[2].Empty || s.GPUs[1].Empty || s.NoCUDA != "" {
		t.Errorf("without instances: %+v, %v", s, err)
	}
	d.GetMigDeviceHandleByIndexFunc = handles
	d.GetMaxMigDeviceCountFunc = func() (int, nvml.Return) { return 0, nvml.ERROR_UNKNOWN }
	if s, err := m.read(); err != nil || s.GPUs[2].Instances != nil || s.GPUs[2].Empty || s.GPUs[2].Profiles() != "no instances" {
		t.Errorf("%+v, %v", s.GPUs[2], err)
	}
	missing := map[string]bool{"nvmlDeviceGetMigDeviceHandleByIndex": true}
	m.has = func(symbol string) bool { return !missing[symbol] }
	d.GetMigDeviceHandleByIndexFunc = nil // the mock panics
	if s, err := m.read(); err != nil || s.GPUs[2].Instances != nil {
		t.Errorf("%+v, %v", s.GPUs[2], err)
	}
}

// Where every GPU is divided and has no instance, CUDA uses none, and people are told what to do.
func TestDividedWithoutInstances(t *testing.T) {
	server, m := machine()
	for _, one := range server.Devices {
		d := one.(*dgxa100.Device)
		d.MigMode = nvml.DEVICE_MIG_ENABLE
		d.GetMaxMigDeviceCountFunc = func() (int, nvml.Return) { return 7, nvml.SUCCESS }
		d.GetMigDeviceHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_NOT_FOUND }
	}
	s, err := m.read()
	if err != nil || len(s.GPUs) == 0 || s.NoCUDA != noInstances {
		t.Errorf("%q, %v", s.NoCUDA, err)
	}
}

// What a GPU does not tell is unknown, and so is what cannot be true.
func TestNonsenseIsUnknown(t *testing.T) {
	server, m := machine()
	d := server.Devices[0].(*dgxa100.Device)
	d.MemoryInfo = nvml.Memory{Total: 1 << 30, Used: 2 << 30}
	d.MigMode = nvml.DEVICE_MIG_ENABLE
	d.GetMaxMigDeviceCountFunc = func() (int, nvml.Return) { return 1 << 30, nvml.SUCCESS }
	d.GetMigDeviceHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_NOT_FOUND }
	d.GetUtilizationRatesFunc = func() (nvml.Utilization, nvml.Return) { return nvml.Utilization{Gpu: 4_000_000_000}, nvml.SUCCESS }
	d.GetPowerUsageFunc = func() (uint32, nvml.Return) { return 0, nvml.ERROR_NOT_SUPPORTED }
	d.GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 9999, nvml.SUCCESS }
	d.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) { return nil, nvml.ERROR_UNKNOWN }
	s, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	g := s.GPUs[0]
	for name, n := range map[string]float64{"used": g.Used, "utilization": g.Utilization, "power": g.Power, "temperature": g.Temperature} {
		if !math.IsNaN(n) {
			t.Errorf("%s = %v", name, n)
		}
	}
	if g.Total != 1<<30 || !g.MIG || g.Processes != nil {
		t.Errorf("%+v", g)
	}
	d.GetNameFunc = func() (string, nvml.Return) { return "A100\xff\x00\n" + strings.Repeat("x", 1000), nvml.SUCCESS }
	d.GetCudaComputeCapabilityFunc = func() (int, int, nvml.Return) { return -1, 1 << 30, nvml.SUCCESS }
	server.SystemGetCudaDriverVersionFunc = func() (int, nvml.Return) { return math.MaxInt32, nvml.SUCCESS }
	if s, err := m.read(); err != nil || s.GPUs[0].Name != "A100"+strings.Repeat("x", 200-len("A100\xff\x00\n")) || s.GPUs[0].Capability != "" || s.CUDA != "" {
		t.Errorf("%q of capability %q, CUDA %q, %v", s.GPUs[0].Name, s.GPUs[0].Capability, s.CUDA, err)
	}
	for uuid, want := range map[string]string{
		"\xff\n":                                 `the driver tells of GPU 0 the UUID "", which is that of no GPU or of another one`,
		server.Devices[1].(*dgxa100.Device).UUID: `the driver tells of GPU 1 the UUID "` + server.Devices[1].(*dgxa100.Device).UUID + `", which`,
	} {
		d.GetUUIDFunc = func() (string, nvml.Return) { return uuid, nvml.SUCCESS }
		if _, err := m.read(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("UUID %q: %v", uuid, err)
		}
	}
	server.DeviceGetCountFunc = func() (int, nvml.Return) { return 1_000_000, nvml.SUCCESS }
	if _, err := m.read(); err == nil || err.Error() != "the driver tells of 1000000 GPUs" {
		t.Errorf("error = %v", err)
	}
}

// A library that says of the programs what cannot be is asked once for each GPU, and tells of none.
func TestNonsenseOfPrograms(t *testing.T) {
	server, m := machine()
	for _, lie := range []struct {
		count uint32
		ret   nvml.Return
		want  int
	}{
		{2, nvml.SUCCESS, 2}, {mostProcesses, nvml.SUCCESS, mostProcesses}, {mostProcesses + 1, nvml.SUCCESS, 0}, {math.MaxUint32, nvml.SUCCESS, 0},
		{0, nvml.ERROR_INSUFFICIENT_SIZE, 0}, {mostProcesses, nvml.ERROR_INSUFFICIENT_SIZE, 0}, {math.MaxUint32, nvml.ERROR_INSUFFICIENT_SIZE, 0},
	} {
		asked := 0
		m.api = wrapped{server, func(_ nvml.Device, _ string, count *uint32, entries []uint64) result {
			if asked++; int(*count)*3 != len(entries) {
				t.Errorf("room for %d in %d words", *count, len(entries))
			}
			*count = lie.count
			return lie.ret
		}}
		if s, err := m.read(); err != nil || len(s.GPUs) != 8 || asked != 8 || len(s.GPUs[0].Processes) != lie.want {
			t.Errorf("%+v: %d GPUs, asked %d times, %v", lie, len(s.GPUs), asked, err)
		}
	}
}

// An old driver's library lists the programs by an older function, and the oldest one tells less of each.
func TestProgramsByOldDrivers(t *testing.T) {
	server, m := machine()
	const name = "nvmlDeviceGetComputeRunningProcesses"
	for lacks, want := range map[string]string{"": name + "_v3", "_v3": name + "_v2", "_v3 _v2": name} {
		m.has = func(symbol string) bool {
			return lacks == "" || !slices.Contains(strings.Fields(lacks), strings.TrimPrefix(symbol, name))
		}
		m.api = wrapped{server, func(_ nvml.Device, symbol string, count *uint32, entries []uint64) result {
			if symbol != want {
				t.Errorf("without %s, %s was asked", lacks, symbol)
			}
			words := len(entries) / int(*count)
			copy(entries, []uint64{77, 5 << 20})
			copy(entries[words:], []uint64{0xffffffff<<32 | 78, math.MaxUint64}) // what is beside the number is not cleared
			*count = 2
			return success
		}}
		s, err := m.read()
		if err != nil || len(s.GPUs[0].Processes) != 2 || s.GPUs[0].Processes[0] != (Process{77, 5 << 20}) || s.GPUs[0].Processes[1].PID != 78 || !math.IsNaN(s.GPUs[0].Processes[1].Used) {
			t.Errorf("without %s: %+v, %v", lacks, s.GPUs[0].Processes, err)
		}
	}
}

// A function that an old driver lacks is never called: the call would end the process.
func TestOldDriver(t *testing.T) {
	server, m := machine()
	missing := map[string]bool{"nvmlDeviceGetMigMode": true, "nvmlDeviceGetTotalEnergyConsumption": true}
	m.has = func(symbol string) bool { return !missing[symbol] }
	d := server.Devices[0].(*dgxa100.Device)
	d.GetMigModeFunc, d.GetTotalEnergyConsumptionFunc = nil, nil // the mock panics
	if s, err := m.read(); err != nil || !math.IsNaN(s.GPUs[0].Energy) || s.GPUs[1].Power != 55.5 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestGPUsThatCannotBeRead(t *testing.T) {
	server, m := machine()
	for ret, want := range map[nvml.Return]string{
		nvml.ERROR_LIBRARY_NOT_FOUND: errAbsent.Error(), nvml.ERROR_DRIVER_NOT_LOADED: errAbsent.Error(),
		nvml.ERROR_LIB_RM_VERSION_MISMATCH: "open NVML: ERROR_LIB_RM_VERSION_MISMATCH",
	} {
		server.InitFunc = func() nvml.Return { return ret }
		if err := m.open(); err == nil || err.Error() != want || errors.Is(err, errAbsent) != (want == errAbsent.Error()) {
			t.Errorf("%v: %v", ret, err)
		}
	}
	server.DeviceGetHandleByIndexFunc = func(i int) (nvml.Device, nvml.Return) {
		if i == 0 {
			return nil, nvml.ERROR_NO_PERMISSION
		}
		return server.Devices[i], nvml.SUCCESS
	}
	if s, err := m.read(); err != nil || len(s.GPUs) != 7 || s.GPUs[0].Index != 0 || s.GPUs[6].Index != 6 { // as CUDA numbers those that it may use
		t.Errorf("%+v, %v", s, err)
	}
	server.DeviceGetHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_UNKNOWN }
	if _, err := m.read(); err == nil || err.Error() != "reach GPU 0: ERROR_UNKNOWN" {
		t.Errorf("error = %v", err)
	}
}

// A GPU that is lost, at once or while it is read, leaves the others.
func TestLostGPU(t *testing.T) {
	server, m := machine()
	server.DeviceGetHandleByIndexFunc = func(i int) (nvml.Device, nvml.Return) {
		if i == 2 {
			return nil, nvml.ERROR_GPU_IS_LOST
		}
		return server.Devices[i], nvml.SUCCESS
	}
	for _, ret := range []nvml.Return{nvml.ERROR_GPU_IS_LOST, nvml.ERROR_UNKNOWN} {
		server.Devices[5].(*dgxa100.Device).GetUUIDFunc = func() (string, nvml.Return) { return "", ret }
		s, err := m.read()
		if err != nil || len(s.GPUs) != 6 || s.GPUs[2].Index != 3 || !slices.Equal(s.Lost, []int{2, 5}) {
			t.Errorf("%v: %d GPUs, lost %v, %v", ret, len(s.GPUs), s.Lost, err)
		}
	}
}

// The only GPU of a machine is told as lost too, as are all of several.
func TestEveryGPULost(t *testing.T) {
	for count, says := range map[int]string{1: "GPU 0 is lost: its driver", 3: "GPU 0, GPU 1, GPU 2 are lost: their driver"} {
		server, m := machine()
		server.DeviceGetCountFunc = func() (int, nvml.Return) { return count, nvml.SUCCESS }
		server.DeviceGetHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_GPU_IS_LOST }
		s, err := m.read()
		if err != nil || len(s.GPUs) != 0 || len(s.Lost) != count || !strings.HasPrefix(s.AllLost(), says) {
			t.Errorf("of %d: %+v, %v", count, s, err)
		}
	}
	if s := (Snapshot{GPUs: make([]GPU, 1), Lost: []int{1}}); s.AllLost() != "" {
		t.Error(s.AllLost())
	}
}

// Two Conches on one GPU each see the other's memory, with their processes, as soon as they look.
func TestTwoOnOneGPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := machine()
		d := server.Devices[0].(*dgxa100.Device)
		var mu sync.Mutex
		held := []nvml.ProcessInfo{{Pid: 77, UsedGpuMemory: 5 << 30}}
		d.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(held), nvml.SUCCESS
		}
		d.GetMemoryInfoFunc = func() (nvml.Memory, nvml.Return) {
			mu.Lock()
			defer mu.Unlock()
			m := nvml.Memory{Total: 40 << 30}
			for _, p := range held {
				if p.UsedGpuMemory < m.Total {
					m.Used += p.UsedGpuMemory
				}
			}
			return m, nvml.SUCCESS
		}
		var both [2]*Watcher
		for i := range both {
			both[i] = watch(t.Context(), &management{api: wrapped{server, listed}, has: func(string) bool { return true }, usable: func() error { return nil }}, 2*time.Second, slog.New(slog.DiscardHandler))
		}
		synctest.Wait()
		mu.Lock() // the second one loads a model; the driver does not tell how much a third process has
		held = append(held, nvml.ProcessInfo{Pid: 78, UsedGpuMemory: 30 << 30}, nvml.ProcessInfo{Pid: 79, UsedGpuMemory: math.MaxUint64})
		mu.Unlock()
		for i, w := range both {
			g := w.Fresh().GPUs[0]
			if g.Used != 35<<30 || g.Total != 40<<30 || len(g.Processes) != 3 || g.Processes[0] != (Process{77, 5 << 30}) || g.Processes[1] != (Process{78, 30 << 30}) ||
				!math.IsNaN(g.Processes[2].Used) {
				t.Errorf("Conch %d sees %v used by %+v", i, g.Used, g.Processes)
			}
		}
	})
}

// A driver that goes while Conch runs is told as trouble, and found again when it is back.
func TestDriverThatGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, m := machine()
		w := watch(t.Context(), m, 2*time.Second, slog.New(slog.DiscardHandler))
		synctest.Wait()
		if n := len(w.Snapshot().GPUs); n != 8 {
			t.Fatalf("%d GPUs", n)
		}
		count, init := server.DeviceGetCountFunc, server.InitFunc
		for name, c := range map[string]struct{ read, open nvml.Return }{
			"it is taken out of the kernel": {nvml.ERROR_UNINITIALIZED, nvml.ERROR_DRIVER_NOT_LOADED},
			"its library is removed":        {nvml.ERROR_UNKNOWN, nvml.ERROR_LIBRARY_NOT_FOUND},
		} {
			server.DeviceGetCountFunc = func() (int, nvml.Return) { return 0, c.read }
			server.InitFunc = func() nvml.Return { return c.open }
			for range 2 { // at once, and when it is asked for again
				if s := w.Fresh(); s.GPUs != nil || s.Trouble != "The GPUs of this machine cannot be read: their driver is gone. Conch tries again every 30 s." {
					t.Errorf("%s: %+v", name, s)
				}
			}
			server.DeviceGetCountFunc, server.InitFunc = count, init
			if s := w.Fresh(); len(s.GPUs) != 8 || s.Trouble != "" {
				t.Errorf("%s: it is back, and %+v", name, s)
			}
		}
	})
}

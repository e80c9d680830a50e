package device

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
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
		d.GetEnforcedPowerLimitFunc = func() (uint32, nvml.Return) { return 400_000, nvml.SUCCESS }
		d.GetTotalEnergyConsumptionFunc = func() (uint64, nvml.Return) { return 1_234_000, nvml.SUCCESS }
		d.GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 31, nvml.SUCCESS }
		d.GetClockInfoFunc = func(kind nvml.ClockType) (uint32, nvml.Return) {
			return map[nvml.ClockType]uint32{nvml.CLOCK_GRAPHICS: 1410, nvml.CLOCK_MEM: 1215}[kind], nvml.SUCCESS
		}
		d.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) {
			return []nvml.ProcessInfo{{Pid: 77, UsedGpuMemory: 5 << 20}}, nvml.SUCCESS
		}
	}
	return server, &management{api: server, has: func(string) bool { return true }}
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

// What a GPU does not tell is unknown, and so is what cannot be true.
func TestNonsenseIsUnknown(t *testing.T) {
	server, m := machine()
	d := server.Devices[0].(*dgxa100.Device)
	d.MemoryInfo = nvml.Memory{Total: 1 << 30, Used: 2 << 30}
	d.MigMode = nvml.DEVICE_MIG_ENABLE
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
	server.DeviceGetCountFunc = func() (int, nvml.Return) { return 1_000_000, nvml.SUCCESS }
	if _, err := m.read(); err == nil || err.Error() != "the driver tells of 1000000 GPUs" {
		t.Errorf("error = %v", err)
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
	if s, err := m.read(); err != nil || len(s.GPUs) != 7 || s.GPUs[0].Index != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	server.DeviceGetHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_GPU_IS_LOST }
	if _, err := m.read(); err == nil || err.Error() != "reach any GPU: ERROR_GPU_IS_LOST" {
		t.Errorf("error = %v", err)
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
	server.Devices[5].(*dgxa100.Device).GetUUIDFunc = func() (string, nvml.Return) { return "", nvml.ERROR_GPU_IS_LOST }
	s, err := m.read()
	if err != nil || len(s.GPUs) != 6 || s.GPUs[2].Index != 3 || !slices.Equal(s.Lost, []int{2, 5}) {
		t.Errorf("%d GPUs, lost %v, %v", len(s.GPUs), s.Lost, err)
	}
}

// Two programs that serve models on one GPU are both shown, each with its memory.
func TestTwoOnOneGPU(t *testing.T) {
	server, m := machine()
	server.Devices[0].(*dgxa100.Device).GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) {
		return []nvml.ProcessInfo{{Pid: 77, UsedGpuMemory: 5 << 20}, {Pid: 78, UsedGpuMemory: math.MaxUint64}}, nvml.SUCCESS
	}
	for range 2 { // each of them reads the driver
		s, err := m.read()
		if err != nil || len(s.GPUs[0].Processes) != 2 || s.GPUs[0].Processes[0] != (Process{77, 5 << 20}) || s.GPUs[0].Processes[1].PID != 78 ||
			!math.IsNaN(s.GPUs[0].Processes[1].Used) {
			t.Errorf("%+v, %v", s.GPUs[0].Processes, err)
		}
	}
}

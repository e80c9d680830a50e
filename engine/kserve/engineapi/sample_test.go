package engineapi

import (
	"math"
	"testing"

	"conch/engine/device"
)

func TestGPUIsToldAsItsDriverTellsIt(t *testing.T) {
	m := gpuMessage(&device.GPU{Index: 1, UUID: "GPU-a", Name: "A100", Total: 40, Used: 3, Utilization: 0.5, Power: math.NaN(), MaxPower: 400, Temperature: 30, Clock: math.NaN()})
	if m.Index != 1 || m.Uuid != "GPU-a" || m.Name != "A100" || m.TotalBytes != 40 || m.UsedBytes != 3 || m.Utilization != 0.5 ||
		m.PowerWatts != -1 || m.MaxPowerWatts != 400 || m.Temperature != 30 || m.ClockMhz != -1 {
		t.Errorf("the message says %v", m)
	}
}

// Of many programs on a GPU the largest are told, and how many there are.
func TestProcessesOnAGPU(t *testing.T) {
	var list []device.Process
	for i := range 200 {
		list = append(list, device.Process{PID: 1000 + i, Used: float64(i)})
	}
	list[3].Used = math.NaN()
	m := gpuMessage(&device.GPU{Processes: list})
	if m.ProcessCount != 200 || len(m.Processes) != mostProcesses || m.Processes[0].Pid != 1199 || m.Processes[0].Bytes != 199 {
		t.Errorf("%d, %v", m.ProcessCount, m.Processes)
	}
	if m = gpuMessage(&device.GPU{Processes: list[2:5]}); m.Processes[0].Pid != 1004 || m.Processes[2].Bytes != -1 {
		t.Errorf("%v", m.Processes)
	}
	for want, s := range map[string]device.Snapshot{"": {CUDA: "13.0"}, "580.65": {Driver: "580.65"}, "580.65, CUDA 13.0": {Driver: "580.65", CUDA: "13.0"}} {
		if got := driverText(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

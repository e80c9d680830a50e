package engineapi

import (
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/engine/device"
	"conch/engine/kserve/enginepb"
)

func TestGPUIsToldAsItsDriverTellsIt(t *testing.T) {
	m := gpuMessage(&device.GPU{Index: 1, UUID: "GPU-a", Name: "A100", Total: 40, Used: 3, Utilization: 0.5, Power: math.NaN(), MaxPower: 400, Temperature: 30, Clock: math.NaN()})
	if m.Index != 1 || m.Uuid != "GPU-a" || m.Name != "A100" || m.TotalBytes != 40 || m.UsedBytes != 3 || m.Utilization != 0.5 ||
		m.PowerWatts != -1 || m.MaxPowerWatts != 400 || m.Temperature != 30 || m.ClockMhz != -1 {
		t.Errorf("the message says %v", m)
	}
}

// The parts of a divided GPU are told with their UUIDs, profiles and memory; what the driver does not tell is -1.
func TestInstancesOfADividedGPU(t *testing.T) {
	nan := math.NaN()
	m := gpuMessage(&device.GPU{MIG: true, Instances: []device.Instance{
		{Number: 1, UUID: "MIG-a", Profile: "1g.5gb", Total: 5, Used: 1}, {Number: -1, Compute: -1, UUID: "MIG-b", Total: nan, Used: nan},
	}})
	want := []*enginepb.GpuInstance{
		{Number: 1, Uuid: "MIG-a", Profile: "1g.5gb", TotalBytes: 5, UsedBytes: 1}, {Number: -1, Compute: -1, Uuid: "MIG-b", TotalBytes: -1, UsedBytes: -1},
	}
	if !m.Divided || len(m.Instances) != 2 || !proto.Equal(m.Instances[0], want[0]) || !proto.Equal(m.Instances[1], want[1]) {
		t.Errorf("the message says %v", m)
	}
	if m = gpuMessage(&device.GPU{}); m.Divided || m.Instances != nil {
		t.Errorf("of a whole GPU the message says %v", m)
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

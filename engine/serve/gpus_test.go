package serve

import (
	"math"
	"testing"

	"conch/engine/device"
)

// What the driver does not tell is unknown to the placement too, and no reason to refuse anything.
func TestMachineOfADriver(t *testing.T) {
	s := device.Snapshot{GPUs: []device.GPU{
		{Index: 0, UUID: "GPU-a", Capability: "8.6", Total: 100, Used: 40},
		{Index: 1, UUID: "GPU-b", Total: math.NaN(), Used: math.NaN()},
	}}
	m := machine(s)
	if m.Trouble != "" || len(m.GPUs) != 2 || m.GPUs[0].Capability != 8.6 || m.GPUs[1].Capability != 0 || m.GPUs[1].Total != 0 {
		t.Errorf("%+v", m)
	}
	memory := memoryOf(m)
	if len(memory) != 2 || memory[0].Bytes != 60 || memory[1].Bytes != 0 || memory[1].Device.String() != "GPU 1" {
		t.Errorf("%+v", memory)
	}
	s.Trouble = "The driver hangs."
	if m := machine(s); m.Trouble != s.Trouble || m.GPUs != nil {
		t.Errorf("in trouble: %+v", m)
	}
}

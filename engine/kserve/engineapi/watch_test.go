package engineapi

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/placement"
)

func TestMemoryOfAModelIsToldByDevice(t *testing.T) {
	m := modelMessage(control.ModelStatus{Name: "m", Memory: 50, Devices: []backend.Memory{
		{Bytes: 20}, {Device: backend.Device{GPU: true, ID: 2}, Bytes: 30},
	}})
	if m.MemoryBytes != 50 || len(m.Memory) != 2 || m.Memory[0].Device != "CPU" || m.Memory[0].Bytes != 20 ||
		m.Memory[1].Device != "GPU 2" || m.Memory[1].Bytes != 30 {
		t.Errorf("the message says %v", m)
	}
}

// Whether Triton would run a group on the GPUs that are here goes with it. A note on accelerators is about no group.
func TestUnusedGPUsAreTold(t *testing.T) {
	m := modelMessage(control.ModelStatus{Name: "m", Elsewhere: []placement.Note{{Index: 1, Unused: "GPU 0 is here, but not used", ByBuild: true}, {Idle: true}}})
	if on := m.Elsewhere; len(on) != 2 || on[1].Group != nil || on[0].GetGroup() != 1 || on[0].Unused != "GPU 0 is here, but not used" || !on[0].ByBuild {
		t.Errorf("the message says %v", m)
	}
}

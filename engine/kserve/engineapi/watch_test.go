package engineapi

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
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

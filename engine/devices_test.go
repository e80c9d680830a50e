package engine_test

import (
	"fmt"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
)

// The memory of a model's versions is reported for each device, and as a sum.
func TestMemoryOfAModelByDevice(t *testing.T) {
	b := &fake.Backend{Holds: 10, GPUs: []backend.Memory{{Device: backend.Device{GPU: true, ID: 2}, Bytes: 1 << 20}}}
	e := start(t, b, map[string]string{"m": config + "instance_group [{ count: 3 kind: KIND_GPU gpus: [2] }, { count: 2 kind: KIND_CPU }]"})
	s, ok := e.Manager().Status("m")
	if got := fmt.Sprint(s.Devices); !ok || got != "[{CPU 20} {GPU 2 30}]" || s.Memory != 50 || s.Instances != 5 {
		t.Errorf("%d instances hold %s, in all %d", s.Instances, got, s.Memory)
	}
}

package backendtest

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/tensor"
)

// testMemory: a model and an instance report each device once, and only the CPU or GPUs that the backend lists.
func testMemory(t *testing.T, s Subject) {
	b := s.New(t)
	defer func() { check(t, "close backend", b.Close()) }()
	known := map[backend.Device]bool{{}: true}
	if l, ok := b.(backend.DeviceLister); ok {
		gpus, why := l.Devices()
		if (len(gpus) == 0) != (why != "") {
			t.Errorf("it lists %d GPUs, and says %q of why there are none", len(gpus), why)
		}
		for _, m := range gpus {
			if !m.Device.GPU || known[m.Device] {
				t.Errorf("it lists %v, which is not a GPU or is listed twice", m.Device)
			}
			known[m.Device] = true
		}
	}
	spec := s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8})
	if e, ok := b.(backend.Estimator); ok {
		wantMemory(t, "the estimate", e.Estimate(spec), known)
	}
	l := load(t, s, spec)
	for what, part := range map[string]any{"the model": l.Model, "the instance": l.Instance} {
		if r, ok := part.(backend.MemoryReporter); ok {
			wantMemory(t, what, r.Memory(), known)
		}
	}
}

func wantMemory(t *testing.T, what string, list []backend.Memory, known map[backend.Device]bool) {
	t.Helper()
	told := map[backend.Device]bool{}
	for _, m := range list {
		if told[m.Device] || !known[m.Device] {
			t.Errorf("%s reports memory of %v, which is unknown or reported twice", what, m.Device)
		}
		told[m.Device] = true
	}
}

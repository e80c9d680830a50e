package placement_test

import (
	"fmt"
	"testing"

	"conch/engine/backend"
	"conch/engine/placement"
)

func TestLimits(t *testing.T) {
	limits, err := placement.ParseLimits([]string{"0:0.5", "1:0.25", "1:1", "3:0"})
	if err != nil {
		t.Fatal(err)
	}
	machine := placement.Machine{GPUs: []placement.GPU{{ID: 0, Total: 100, Used: 50}, {ID: 1, Total: 100, Used: 99}, {ID: 2, Total: 100, Used: 99}, {ID: 3}}}
	now := func() placement.Machine { return machine }
	for id := range 4 {
		if err := limits.Refuse("m_0_0", backend.Device{GPU: true, ID: id}, now); err != nil {
			t.Errorf("GPU %d: %v", id, err)
		}
	}
	machine.GPUs[0].Used = 51
	err = limits.Refuse("m_0_0", backend.Device{GPU: true}, now)
	if got := fmt.Sprint(err); got != "can not create model 'm_0_0': memory limit set for GPU 0 has exceeded, model loading is rejected." {
		t.Error(got)
	}
	if err := limits.Refuse("m_0_0", backend.Device{}, now); err != nil {
		t.Errorf("the CPU: %v", err)
	}
}

func TestWrongLimits(t *testing.T) {
	for text, want := range map[string]string{
		"0:1.5": "setting model load GPU limit: Invalid argument - expects limit fraction to be in range [0.0, 1.0], got 1.500000",
		"0:nan": "setting model load GPU limit: Invalid argument - expects limit fraction to be in range [0.0, 1.0], got NaN",
		"0":     "--model-load-gpu-limit option format is '<device id>:<fraction>'. Got 0",
		"a:0.5": "--model-load-gpu-limit option format is '<device id>:<fraction>'. Got a:0.5",
		"-1:.5": "--model-load-gpu-limit option format is '<device id>:<fraction>'. Got -1:.5",
		"0:x":   "--model-load-gpu-limit option format is '<device id>:<fraction>'. Got 0:x",
	} {
		if _, err := placement.ParseLimits([]string{text}); fmt.Sprint(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

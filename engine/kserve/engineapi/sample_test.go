package engineapi

import (
	"math"
	"testing"

	"conch/engine/device"
)

func TestGPUIsToldAsItsDriverTellsIt(t *testing.T) {
	m := gpuMessage(&device.GPU{Index: 1, UUID: "GPU-a", Name: "A100", Total: 40, Used: 3, Utilization: 0.5, Power: math.NaN(), Temperature: 30})
	if m.Index != 1 || m.Uuid != "GPU-a" || m.Name != "A100" || m.TotalBytes != 40 || m.UsedBytes != 3 || m.Utilization != 0.5 ||
		m.PowerWatts != -1 || m.Temperature != 30 {
		t.Errorf("the message says %v", m)
	}
}

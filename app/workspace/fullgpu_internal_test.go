package workspace

import (
	"strings"
	"testing"

	"conch/app/api"
)

// People are told once that a GPU with a model of theirs is nearly full, and again when there was room meanwhile.
func TestNearlyFullGPU(t *testing.T) {
	full := fullGPUs{}
	for i, step := range []struct {
		used, total float64
		want        int
	}{{50, 100, 0}, {90, 100, 1}, {95, 100, 0}, {-1, 100, 0}, {86, 100, 0}, {92, 100, 0}, {10, 100, 0}, {93, 100, 1}, {5, -1, 0}, {5, 0, 0}} {
		texts := full.next([]*api.Gpu{
			{Index: 0, Uuid: "GPU-a", UsedBytes: 99, TotalBytes: 100}, {Index: 1, Uuid: "GPU-b", UsedBytes: step.used, TotalBytes: step.total},
		}, []string{"CPU", "GPU 1"})
		if len(texts) != step.want || len(texts) > 0 && !strings.HasPrefix(texts[0], "GPU 1 is nearly full: 9") {
			t.Errorf("step %d: %q", i, texts)
		}
	}
}

package remote

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"conch/engine/kserve/kservepb"
)

// TestAbsurdGPUs: a metrics page adds as many GPUs as a machine can have, with names and numbers that can be those of GPUs.
func TestAbsurdGPUs(t *testing.T) {
	var text strings.Builder
	fmt.Fprintln(&text, "# TYPE nv_gpu_power_usage gauge")
	for _, id := range []string{strings.Repeat("G", 1<<20), "GPU-" + strings.Repeat("é", 20), "GPU-\n1", "GPU 1"} {
		fmt.Fprintf(&text, "nv_gpu_power_usage{gpu_uuid=%q} 1\n", id)
	}
	for i := range 5000 {
		fmt.Fprintf(&text, "nv_gpu_power_usage{gpu_uuid=\"GPU-%08d-0000\"} %d\n", i, i)
	}
	fmt.Fprintln(&text, "# TYPE nv_gpu_utilization gauge")
	for i, absurd := range []string{"+Inf", "-Inf", "NaN", "1e300", "-5"} {
		fmt.Fprintf(&text, "nv_gpu_utilization{gpu_uuid=\"GPU-%08d-0000\"} %s\n", i, absurd)
	}
	fmt.Fprint(&text, "# TYPE nv_cpu_utilization gauge\nnv_cpu_utilization 1e300\n# TYPE nv_cpu_memory_used_bytes gauge\nnv_cpu_memory_used_bytes 1e300\n")
	p, err := readPage(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.gpus) != 64 || p.gpus[0].Uuid != "GPU-00000000-0000" || p.gpus[63].PowerWatts != 63 {
		t.Errorf("%d GPUs, the first one %v", len(p.gpus), p.gpus[0])
	}
	for _, g := range p.gpus {
		if g.Utilization != -1 || !utf8.ValidString(g.Name) {
			t.Errorf("%v", g)
		}
	}
	if p.cpu != 0 || p.memory != 0 {
		t.Errorf("processor %v, memory %v", p.cpu, p.memory)
	}
}

// TestAbsurdCounts: counts that no server reaches, and quantiles that are none, hold nobody up.
func TestAbsurdCounts(t *testing.T) {
	id := version{"m", "1"}
	p, err := readPage(strings.NewReader("# TYPE nv_inference_request_summary_us summary\n" +
		`nv_inference_request_summary_us{model="m",version="1",quantile="+Inf"} 5` + "\n" +
		`nv_inference_request_summary_us{model="m",version="1",quantile="-3"} 5` + "\n"))
	if err != nil || len(p.quantiles[id]) != 0 {
		t.Errorf("quantiles %v, %v", p.quantiles, err)
	}
	for _, n := range []uint64{1 << 62, 1<<63 + 5, math.MaxUint64} {
		c := newCounters()
		c.note(nil, p, nil, time.Unix(1, 0))
		c.note([]*kservepb.ModelStatistics{{Name: "m", Version: "1", InferenceStats: &kservepb.InferStatistics{
			Success: &kservepb.StatisticDuration{Count: n, Ns: math.MaxUint64},
		}}}, p, nil, time.Unix(2, 0))
		total := uint64(0)
		for _, counted := range c.versions[id].all.histogram().Count {
			total += counted
		}
		if total != n {
			t.Errorf("%d requests became %d", n, total)
		}
	}
}

// TestLongReasons: of a long reason the beginning is told, and a model with a name that no folder has is none.
func TestLongReasons(t *testing.T) {
	m := newModels()
	event := m.note([]*kservepb.RepositoryIndexResponse_ModelIndex{
		{Name: "m", Version: "1", State: "UNAVAILABLE", Reason: "x" + strings.Repeat("é", 1<<20)},
		{Name: "n", Version: "1", State: "UNAVAILABLE", Reason: "as it is"},
		{Name: strings.Repeat("o", 1<<20), Version: "1", State: "READY"},
	}, time.Unix(1, 0))
	if len(event.Models) != 2 {
		t.Fatalf("%d models", len(event.Models))
	}
	long, short := event.Models[0].Versions[0].Reason, event.Models[1].Versions[0].Reason
	if len(long) > 5000 || !strings.HasPrefix(long, "xéé") || !utf8.ValidString(long) || short != "as it is" {
		t.Errorf("%d bytes: %.20q…, and %q", len(long), long, short)
	}
}

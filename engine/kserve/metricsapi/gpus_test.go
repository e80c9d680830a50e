package metricsapi_test

import (
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"conch/engine/device"
	"conch/engine/kserve"
	"conch/engine/kserve/metricsapi"
)

// driven is a service on a machine with GPUs.
type driven struct {
	kserve.Service
	snapshot device.Snapshot
	models   []kserve.ModelMetrics
}

func (d *driven) Devices() device.Snapshot            { return d.snapshot }
func (d *driven) ModelMetrics() []kserve.ModelMetrics { return d.models }

func gpuPage(d *driven, o metricsapi.Options) string {
	w := httptest.NewRecorder()
	o.NoProcessor = true
	metricsapi.New(d, o).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func TestGPUMetrics(t *testing.T) {
	d := &driven{snapshot: device.Snapshot{GPUs: []device.GPU{
		{UUID: "GPU-a", Total: 40 << 30, Used: 1 << 30, Utilization: 0.25, Power: 60, MaxPower: 400, Energy: 1200.5},
		{UUID: "GPU-b", Total: 40 << 30, Used: 0, Utilization: math.NaN(), Power: math.NaN(), MaxPower: math.NaN(), Energy: math.NaN()},
		{UUID: "GPU-c", Total: 40 << 30, Used: 9 << 30, Power: 70, MIG: true, Instances: []device.Instance{
			{UUID: "MIG-a", Total: 5 << 30, Used: math.NaN()}, {UUID: "MIG-b", Total: 20 << 30, Used: 1 << 30}}},
	}}}
	page := gpuPage(d, metricsapi.Options{})
	for _, want := range []string{
		"# HELP nv_gpu_utilization GPU utilization rate [0.0 - 1.0)\n# TYPE nv_gpu_utilization gauge\nnv_gpu_utilization{gpu_uuid=\"GPU-a\"} 0.25\n",
		"nv_gpu_memory_total_bytes{gpu_uuid=\"GPU-b\"} 42949672960\n", "nv_gpu_memory_used_bytes{gpu_uuid=\"GPU-b\"} 0\n",
		"nv_gpu_power_usage{gpu_uuid=\"GPU-a\"} 60\n", "nv_gpu_power_limit{gpu_uuid=\"GPU-a\"} 400\n",
		"# TYPE nv_energy_consumption counter\nnv_energy_consumption{gpu_uuid=\"GPU-a\"} 1200.5\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, want := range []string{`nv_gpu_memory_total_bytes{gpu_uuid="MIG-a"} 5368709120`, `nv_gpu_memory_used_bytes{gpu_uuid="MIG-b"} 1073741824`,
		`nv_gpu_power_usage{gpu_uuid="GPU-c"} 70`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, `nv_gpu_memory_total_bytes{gpu_uuid="GPU-c"}`) || strings.Contains(page, `nv_gpu_power_usage{gpu_uuid="MIG`) {
		t.Errorf("the memory of a divided GPU is told twice, or an instance tells what it does not know:\n%s", page)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, `nv_gpu_power_usage{gpu_uuid="GPU-b"}`) {
		t.Errorf("what the driver does not tell is on the page:\n%s", page)
	}
	if page := gpuPage(d, metricsapi.Options{Pinned: func() (int64, int64) { return 5000, 70 }}); !strings.Contains(page, "nv_pinned_memory_pool_total_bytes 5000\n") ||
		!strings.Contains(page, "nv_pinned_memory_pool_used_bytes 70\n") {
		t.Errorf("the pool of pinned memory is not on the page:\n%s", page)
	}
	if page := gpuPage(d, metricsapi.Options{NoGPUs: true}); strings.Contains(page, "gpu") {
		t.Errorf("with --allow-gpu-metrics=false:\n%s", page)
	}
	d.snapshot.Trouble = "The GPU driver does not answer."
	if page := gpuPage(d, metricsapi.Options{}); strings.Contains(page, "nv_gpu") {
		t.Errorf("old numbers of a driver that does not answer:\n%s", page)
	}
}

// What ran on a GPU has series of its own beside those of the model, with all families (docs/triton/metrics.md, "Labels").
func TestSeriesOfAModelOnGPUs(t *testing.T) {
	part := func(gpu string, n uint64) kserve.ModelMetrics {
		return kserve.ModelMetrics{GPU: gpu, Statistics: kserve.Statistics{Name: "m", Version: "1", Success: kserve.Duration{Count: n, Ns: n * 1000}}, Tags: map[string]string{"team": "v"}}
	}
	d := &driven{models: []kserve.ModelMetrics{part("", 1), part("GPU-a", 2), part("GPU-b", 3)}}
	page := gpuPage(d, metricsapi.Options{Summaries: true})
	wantLines(t, page,
		`nv_inference_request_success{_team="v",model="m",version="1"} 1`,
		`nv_inference_request_success{_team="v",gpu_uuid="GPU-a",model="m",version="1"} 2`,
		`nv_inference_request_duration_us{_team="v",gpu_uuid="GPU-b",model="m",version="1"} 3`,
		`nv_inference_pending_request_count{_team="v",gpu_uuid="GPU-b",model="m",version="1"} 0`,
		`nv_inference_request_failure{_team="v",gpu_uuid="GPU-a",model="m",reason="OTHER",version="1"} 0`,
		`nv_inference_request_summary_us_count{_team="v",gpu_uuid="GPU-a",model="m",version="1"} 2`,
	)
	if page := gpuPage(d, metricsapi.Options{NoCounters: true}); !strings.Contains(page, `nv_inference_count{_team="v",gpu_uuid="GPU-a",model="m",version="1"} 0`) {
		t.Errorf("without counters:\n%s", page)
	}
}

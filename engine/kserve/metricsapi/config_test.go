package metricsapi_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/histogram"
	"conch/engine/kserve"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/metricsapi"
	"conch/engine/metrics"
)

// measured is a service with one model, whose histograms a test sets.
type measured struct {
	kservetest.Service
	latency kserve.Latency
}

func (m *measured) ModelMetrics() []kserve.ModelMetrics {
	return []kserve.ModelMetrics{{
		Statistics: kserve.Statistics{Name: "m", Version: "1", Success: kserve.Duration{Count: 3, Ns: 9000}},
		Latency:    m.latency, Namespace: "/repository",
		First: &metrics.FirstSnapshot{Bounds: []float64{100, 500}, Cumulative: []uint64{2, 3}, Count: 4, SumMs: 999},
	}}
}

func wantLines(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("no %s in\n%s", line, page)
		}
	}
}

// Names and labels are Triton's (docs/triton/metrics.md, "Families"); quantiles look back a minute.
func TestSummariesAndHistograms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slow histogram.Live
		for range 10 {
			slow.Add(uint64(80 * time.Millisecond))
		}
		svc := &measured{latency: kserve.Latency{Generation: 7, Request: slow.Counts()}}
		handler := metricsapi.New(svc, metricsapi.Options{Summaries: true, Histograms: true, Quantiles: []float64{0.5}, NoProcessor: true})
		page := func() string { return get(handler, http.MethodGet, "/metrics").Body.String() }
		wantLines(t, page(),
			`# TYPE nv_inference_request_summary_us summary`,
			`nv_inference_request_summary_us_sum{model="m",namespace="/repository",version="1"} 9`,
			`nv_inference_request_summary_us_count{model="m",namespace="/repository",version="1"} 3`,
			`nv_inference_first_response_histogram_ms_bucket{model="m",namespace="/repository",version="1",le="100"} 2`,
			`nv_inference_first_response_histogram_ms_bucket{model="m",namespace="/repository",version="1",le="+Inf"} 4`,
			`nv_inference_first_response_histogram_ms_sum{model="m",namespace="/repository",version="1"} 999`,
		)
		if median := quantile(t, page()); median != "8" {
			t.Errorf("the median begins with %s, want 8…e+04", median)
		}
		for range 12 {
			time.Sleep(10 * time.Second)
			page()
		}
		for range 10 {
			slow.Add(uint64(time.Millisecond))
		}
		svc.latency.Request = slow.Counts()
		if median := quantile(t, page()); median != "9" && median != "1" {
			t.Errorf("the median begins with %s, want that of the last minute, about 1000", median)
		}
		if text := page(); strings.Contains(text, "nv_cpu_") || strings.Contains(text, "nv_cache_hit_summary") {
			t.Errorf("what was not asked for, or a model does not have, is on the page:\n%s", text)
		}
	})
}

// quantile is the first digit of the median.
func quantile(t *testing.T, page string) string {
	t.Helper()
	_, value, found := strings.Cut(page, `nv_inference_request_summary_us{model="m",namespace="/repository",version="1",quantile="0.5"} `)
	if !found {
		t.Fatalf("no median in\n%s", page)
	}
	return value[:1]
}

// counter_latencies=false leaves the counts at 0 and omits the durations (docs/triton/metrics.md,
// "The metrics page").
func TestWithoutCounters(t *testing.T) {
	handler := metricsapi.New(&reporting{}, metricsapi.Options{NoCounters: true})
	page := get(handler, http.MethodGet, "/metrics").Body.String()
	wantLines(t, page,
		`nv_inference_request_success{_team="vi\"sion",model="digits",version="3"} 0`,
		`nv_inference_request_failure{_team="vi\"sion",model="digits",reason="BACKEND",version="3"} 0`,
		`nv_inference_pending_request_count{_team="vi\"sion",model="digits",version="3"} 7`,
	)
	if strings.Contains(page, "_duration_us") || strings.Contains(page, "num_hits_per_model") {
		t.Errorf("durations are on the page:\n%s", page)
	}
}

// ensembles reports three versions of one ensemble.
type ensembles struct{ kservetest.Service }

func (*ensembles) ModelMetrics() []kserve.ModelMetrics {
	one := func(version string, n uint64) kserve.ModelMetrics {
		return kserve.ModelMetrics{
			Statistics: kserve.Statistics{Name: "e", Version: version, Success: kserve.Duration{Count: n}, InferenceCount: n},
			Failures:   [4]uint64{0, 0, 0, n}, Ensemble: true,
		}
	}
	return []kserve.ModelMetrics{one("2", 10), one("1", 1), one("3", 100)}
}

// All versions of an ensemble count for version 1. The other versions show only their failures
// (docs/triton/metrics.md, "Labels").
func TestVersionsOfAnEnsemble(t *testing.T) {
	page := get(metricsapi.New(&ensembles{}, metricsapi.Options{Summaries: true}), http.MethodGet, "/metrics").Body.String()
	wantLines(t, page,
		`nv_inference_request_success{model="e",version="1"} 111`,
		`nv_inference_request_success{model="e",version="3"} 0`,
		`nv_inference_count{model="e",version="2"} 0`,
		`nv_inference_request_failure{model="e",reason="OTHER",version="1"} 1`,
		`nv_inference_request_failure{model="e",reason="OTHER",version="3"} 100`,
	)
}

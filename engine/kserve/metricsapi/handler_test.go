package metricsapi_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"conch/build/golden"
	"conch/engine/cache"
	"conch/engine/kserve"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/metricsapi"
)

// reporting adds metrics of two models to a service.
type reporting struct{ kservetest.Service }

func (*reporting) ModelMetrics() []kserve.ModelMetrics {
	d := func(n uint64) kserve.Duration { return kserve.Duration{Count: n, Ns: n * 1999} }
	return []kserve.ModelMetrics{
		{
			Statistics: kserve.Statistics{
				Name: "digits", Version: "3", InferenceCount: 40, ExecutionCount: 30, Success: d(20), Fail: d(5),
				Queue: d(21), ComputeInput: d(22), ComputeInfer: d(23), ComputeOutput: d(24),
			},
			Failures: [4]uint64{1, 2, 3, 4}, Pending: 7, Load: 1500 * time.Millisecond, Tags: map[string]string{"team": "vi\"sion"},
		},
		{Statistics: kserve.Statistics{Name: "cached", Version: "1", Success: d(9), CacheHit: d(6), CacheMiss: d(3)}, Caches: true},
		{Statistics: kserve.Statistics{Name: "read_digit", Version: "2", Success: d(9)}, Ensemble: true},
	}
}

func (*reporting) CacheMetrics() (cache.Numbers, bool) {
	return cache.Numbers{
		Limit: 1000, Used: 250, Entries: 3, Lookups: 9, Hits: 6, Misses: 3, Evictions: 1,
		LookupTime: 28 * time.Microsecond, InsertionTime: 35*time.Microsecond + 900,
	}, true
}

func get(handler http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestPage(t *testing.T) {
	w := get(metricsapi.New(&reporting{}, metricsapi.Options{}), http.MethodGet, "/metrics")
	if kind := w.Header().Get("Content-Type"); w.Code != http.StatusOK || kind != "text/plain; charset=utf-8" {
		t.Errorf("%d %s", w.Code, kind)
	}
	golden.File(t, "../testdata/metrics/page.txt", modelLines(w.Body.String()))
}

// modelLines returns the lines of a page without the machine's metrics.
func modelLines(page string) string {
	var out strings.Builder
	for line := range strings.Lines(page) {
		if !strings.Contains(line, "nv_cpu_") {
			out.WriteString(line)
		}
	}
	return out.String()
}

func TestMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("only Linux has these metrics")
		return
	}
	page := get(metricsapi.New(&kservetest.Service{}, metricsapi.Options{}), http.MethodGet, "/metrics/").Body.String()
	for _, name := range []string{"nv_cpu_utilization", "nv_cpu_memory_total_bytes", "nv_cpu_memory_used_bytes"} {
		if !strings.Contains(page, "# TYPE "+name+" gauge\n"+name+" ") {
			t.Errorf("no %s in\n%s", name, page)
		}
	}
}

func TestOtherPaths(t *testing.T) {
	handler := metricsapi.New(&reporting{}, metricsapi.Options{})
	for _, path := range []string{"/", "/metrics/x", "/v2"} {
		if w := get(handler, http.MethodGet, path); w.Code != http.StatusOK || w.Body.Len() != 0 {
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := get(handler, http.MethodPost, "/metrics"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}

package metricsapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"conch/engine/kserve"
	"conch/engine/kserve/metricsapi"
	"conch/engine/metrics/own"
)

// owning is a service whose models have metrics of their own.
type owning struct {
	kserve.Service
	registry own.Registry
}

func (o *owning) OwnMetrics() []own.Reading { return o.registry.Snapshot() }

func (o *owning) ModelMetrics() []kserve.ModelMetrics { return nil }

// The metrics that models define are on the page. A label that is not UTF-8 does not spoil it.
func TestOwnMetrics(t *testing.T) {
	o := &owning{}
	for _, kind := range []own.Kind{own.Counter, own.Gauge, own.Histogram} {
		f, err := o.registry.Family(kind, "my_"+string(kind), "what it is")
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"a", "\xff"} {
			m, err := f.Metric(map[string]string{"of": label}, []float64{1, 2})
			if err != nil {
				t.Fatal(err)
			}
			if kind == own.Histogram {
				err = m.Observe(1.5)
			} else {
				err = m.Add(3)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	w := httptest.NewRecorder()
	metricsapi.New(o, metricsapi.Options{NoProcessor: true}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		"# HELP my_counter what it is\n# TYPE my_counter counter\nmy_counter{of=\"a\"} 3\n", "# TYPE my_gauge gauge\nmy_gauge{of=\"a\"} 3\n",
		"my_histogram_bucket{of=\"a\",le=\"1\"} 0\n", "my_histogram_bucket{of=\"a\",le=\"2\"} 1\n", "my_histogram_sum{of=\"a\"} 1.5\n",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %q in %d %s", want, w.Code, w.Body)
		}
	}
}

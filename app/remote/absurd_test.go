package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"conch/app/enginehost"
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

// TestLongErrors: a server that is away, tested or without metrics says much, and repeats the token. Of that the beginning is
// told, without the token.
func TestLongErrors(t *testing.T) {
	const token = "secret-of-the-cluster"
	long := strings.Repeat("é", 2<<20)
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			_, _ = io.WriteString(w, "nv_"+r.Header.Get("x-key")+long+" \x01\n")
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "gone " + token + long})
	}))
	t.Cleanup(bad.Close)
	opts := Options{Name: "peer", Address: bad.URL, Metrics: bad.URL, Headers: []Header{{"x-key", token}}}
	updates := make(chan enginehost.Update, 1000)
	s, err := Start(opts, func(u enginehost.Update) { updates <- u })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	away := await(t, updates, "it is away", func(u enginehost.Update) bool { return u.Status != nil }).Status.Reason
	_, err = Ask(t.Context(), opts)
	var metrics string
	for metrics == "" {
		u := <-updates
		if u.Metrics != nil {
			metrics = u.Metrics.Trouble
		}
	}
	for what, text := range map[string]string{"away": away, "test": Reason(err, 0), "metrics": metrics} {
		if len(text) < 20 || len(text) > 5000 || strings.Contains(text, token) || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes: %.80q…", what, len(text), text)
		}
	}
	huge := serveGRPC(t, &peer{name: long})
	if about, err := Ask(t.Context(), Options{Address: "grpc://" + huge}); err == nil && len(about.Name) > 5000 || err != nil && len(Reason(err, 0)) > 6000 {
		t.Errorf("%d bytes, %v", len(about.Name), err)
	}
}

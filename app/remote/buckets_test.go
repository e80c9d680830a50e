package remote

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/engine/histogram"
	"conch/engine/kserve/kservepb"
)

const family = "nv_inference_first_response_histogram_ms"

func pageOf(t *testing.T, upTo100, upTo500, all string) page {
	t.Helper()
	text := "# TYPE " + family + " histogram\n"
	for le, n := range map[string]string{"100": upTo100, "500": upTo500, "+Inf": all} {
		text += family + `_bucket{model="m",version="1",le="` + le + `"} ` + n + "\n"
	}
	p, err := readPage(strings.NewReader(text + family + `_count{model="m",version="1"} ` + all + "\n" + family + `_sum{model="m",version="1"} 1` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHistogramsGivePercentiles: requests lie in the buckets of the server, those about the mean at the mean.
func TestHistogramsGivePercentiles(t *testing.T) {
	before, now := pageOf(t, "10", "10", "10"), pageOf(t, "90", "105", "110")
	now.shares = sharesOf(now.buckets, before.buckets)
	id := version{"m", "1"}
	c := newCounters()
	stats := func(n, ns uint64) []*kservepb.ModelStatistics {
		return []*kservepb.ModelStatistics{{Name: "m", Version: "1", InferenceStats: &kservepb.InferStatistics{Success: &kservepb.StatisticDuration{Count: n, Ns: ns}}}}
	}
	c.note(stats(10, 0), before, nil, time.Unix(1, 0))
	c.note(stats(110, 100*20e6), now, nil, time.Unix(2, 0)) // a mean of 20 ms
	told := c.versions[id].all.histogram()
	counts := histogram.Counts{Index: told.Index, Count: told.Count}
	if counts.Total() != 100 {
		t.Fatalf("%d requests are counted", counts.Total())
	}
	for q, want := range map[float64]float64{0.5: 20e6, 0.9: 300e6, 0.99: 500e6} {
		if got := counts.Percentile(q); got < 0.9*want || got > 1.1*want {
			t.Errorf("percentile %g is %g ns, want about %g", q, got, want)
		}
	}
	if fell := sharesOf(before.buckets, now.buckets); len(fell) != 0 {
		t.Errorf("of a server that began again there are %v", fell)
	}
}

// TestUnknownMachine: a page without processor and memory tells neither, and an idle summary is one.
func TestUnknownMachine(t *testing.T) {
	p, err := readPage(strings.NewReader("# TYPE nv_inference_request_summary_us summary\nnv_inference_request_summary_us{model=\"m\",version=\"1\",quantile=\"0.5\"} Nan\n"))
	if err != nil || !p.summaries || len(p.quantiles) != 0 || p.memory != 0 {
		t.Errorf("the page is %+v: %v", p, err)
	}
	c := newCounters()
	c.note(nil, p, nil, time.Unix(1, 0))
	if s := c.sample(p); s.ResidentBytes != 0 || s.CpuNs != 0 {
		t.Errorf("the sample is %v", s)
	}
}

// TestQuantilesOfSeveralGPUs: a version has a summary for each GPU that it runs on. The slowest is told, in whatever order they come, and one
// without requests tells nothing.
func TestQuantilesOfSeveralGPUs(t *testing.T) {
	series := func(gpu, value string) string {
		return `nv_inference_request_summary_us{model="m",version="1"` + gpu + `,quantile="0.5"} ` + value + "\n"
	}
	slow, fast, silent := series(`,gpu_uuid="GPU-a"`, "900"), series(`,gpu_uuid="GPU-b"`, "100"), series("", "Nan")
	for _, text := range []string{slow + fast + silent, silent + fast + slow} {
		p, err := readPage(strings.NewReader("# TYPE nv_inference_request_summary_us summary\n" + text))
		if err != nil || fmt.Sprint(p.quantiles[version{"m", "1"}]) != "[{0.5 900000}]" {
			t.Errorf("%v, %v", p.quantiles, err)
		}
	}
}

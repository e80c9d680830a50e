package store_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"conch/app/store"
	"conch/engine/histogram"
)

// burst writes one sample a second, in which a model answered so many requests.
func burst(t *testing.T, s *store.Store, c *clock, model string, requests []uint64) {
	t.Helper()
	for _, n := range requests {
		c.advance(time.Second)
		counters := store.Counters{Requests: n, Latency: histogram.Counts{Index: []uint32{160}, Count: []uint64{n}}}
		if n == 0 {
			counters = store.Counters{}
		}
		s.AddSample(store.Sample{
			Repository: "/r", Time: c.now(), Covered: time.Second, Memory: 1 << 20 * (n + 1), Clients: counters,
			Models: map[string]store.Counters{model: counters},
		})
	}
	flush(t, s)
}

func TestSummariesCountTheWholeRange(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 3605)
	for _, back := range []time.Duration{2 * time.Hour, 24 * time.Hour, 30 * 24 * time.Hour} {
		q := store.SummaryQuery{Repository: "/r", Models: []string{"", "m", "none"}, From: c.now().Add(-back), To: c.now().Add(time.Second), Points: 60}
		got, err := s.Summaries(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		m := got["m"]
		if m.Counters.Requests != 3*3605 || m.Counters.Latency.Total() != 3*3605 || m.Covered != 3605*time.Second {
			t.Errorf("%v: %d requests, %d times, covered %v", back, m.Counters.Requests, m.Counters.Latency.Total(), m.Covered)
		}
		wantRates(t, m.Rates, float64(3605)/back.Seconds())
		if none := got["none"]; none.PerSecond(none.Counters.Requests) != 0 || none.Rates[59] != 0 {
			t.Errorf("%v: a model without requests has %+v", back, none)
		}
		q.Models = nil
		if all, err := s.Summaries(t.Context(), q); err != nil || len(all) != 2 || all["m"].Counters.Requests != 3*3605 {
			t.Errorf("%v: all models are %v, %v", back, all, err)
		}
	}
}

func TestModelsOfTheHistory(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 5)
	for repository, want := range map[string][]string{"/r": {"m", "step"}, "/other": nil} {
		if got, err := s.Models(t.Context(), repository); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s has figures of %v, %v; want %v", repository, got, err, want)
		}
	}
}

// wantRates expects 3 requests a second in the newest share of the range, and nothing before it.
func wantRates(t *testing.T, rates []float64, share float64) {
	t.Helper()
	if len(rates) != 60 {
		t.Fatalf("%d rates", len(rates))
	}
	begin := int(60 * (1 - share))
	for i, rate := range rates {
		if i < begin-1 && !math.IsNaN(rate) || i > begin+1 && math.Abs(rate-3) > 1e-9 {
			t.Errorf("rate %d is %v, measured since %d", i, rate, begin)
		}
	}
}

func TestSummaryAndSeriesAgree(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 1800)
	from, to := c.now().Add(-15*time.Minute).Truncate(10*time.Second), c.now().Add(time.Second)
	series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", Model: "m", From: from, To: to, Step: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	sums, err := s.Summaries(t.Context(), store.SummaryQuery{Repository: "/r", Models: []string{"m"}, From: from, To: to})
	if err != nil || sums["m"].Counters.Requests != total(series) {
		t.Errorf("%d in the summary, %d in the series, %v", sums["m"].Counters.Requests, total(series), err)
	}
}

func TestCrowdedHistoryKeepsFewerSeconds(t *testing.T) {
	defer store.SetCrowded(1)()
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 605)
	c.advance(4 * time.Hour)
	feed(t, s, c, 61)
	if rows := count(t, s, `SELECT count(*) FROM metric WHERE step = 1`); rows != 3*61 {
		t.Errorf("%d rows of one second are left, want those of the last two hours", rows)
	}
}

// TestPercentileOfOneRequest: all percentiles of one request are its time, to the digit that its answer tells. Where the sum of
// times is of other requests than the histogram, it tells nothing.
func TestPercentileOfOneRequest(t *testing.T) {
	const ns = 4_030_000_000
	c := store.Counters{Requests: 1, RequestNs: ns, Latency: histogram.Counts{Index: []uint32{histogram.Bucket(ns)}, Count: []uint64{1}}}
	for _, q := range []float64{0.5, 0.95, 0.99} {
		if got := c.PercentileMs(q); got != ns/1e6 {
			t.Errorf("p%v is %v ms, want %v", 100*q, got, ns/1e6)
		}
	}
	c.Requests = 2
	if got, want := c.PercentileMs(0.5), c.Latency.Percentile(0.5)/1e6; got != want {
		t.Errorf("p50 is %v ms, want %v", got, want)
	}
}

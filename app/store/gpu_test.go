package store_test

import (
	"math"
	"testing"
	"time"

	"conch/app/store"
)

var (
	gpu0 = store.GPU{Index: 0, UUID: "GPU-a", Name: "NVIDIA A100"}
	gpu1 = store.GPU{Index: 1, UUID: "GPU-b", Name: "NVIDIA A100"}
)

// feedGPUs writes one sample a second. The first GPU is busy in every second second, and the second one does not tell its power.
func feedGPUs(t *testing.T, s *store.Store, c *clock, seconds int) {
	t.Helper()
	for i := range seconds {
		c.advance(time.Second)
		busy := float64(i % 2)
		s.AddSample(store.Sample{Repository: "/r", Time: c.now(), Covered: time.Second, Memory: 1 << 20, GPUs: []store.GPUSample{
			{GPU: gpu1, Utilization: 0.25, Used: 3 << 30, Total: 40 << 30, Power: math.NaN(), Energy: math.NaN()},
			{GPU: gpu0, Utilization: busy, Used: float64(i+1) * 1e6, Total: 80 << 30, Power: 100 + 200*busy, Energy: 90 + 200*busy},
		}})
		if i%300 == 299 {
			flush(t, s)
		}
	}
	flush(t, s)
}

// What was not watched, or not told, is unknown: no zero, and not what was told last.
func TestGPUsThatTellNothing(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	begin := c.now()
	add := func(gpus ...store.GPUSample) {
		c.advance(time.Second)
		s.AddSample(store.Sample{Repository: "/r", Time: c.now(), Covered: time.Second, Memory: 1 << 20, GPUs: gpus})
	}
	add()
	add(store.GPUSample{GPU: gpu0, Utilization: 1, Used: math.NaN(), Total: 8e9, Power: 0})
	add()
	flush(t, s)
	series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", From: begin, To: c.now().Add(time.Second), Step: time.Second})
	if err != nil || len(series.Points) != 4 || len(series.GPUs) != 1 {
		t.Fatalf("%+v, %v", series, err)
	}
	for i, want := range []float64{math.NaN(), math.NaN(), 1, math.NaN()} {
		g := series.Points[i].GPUs[0]
		if got := g.Utilization.Or(g.Utilization.Mean); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("second %d: %v, want %v", i, got, want)
		}
	}
	if g := series.Points[2].GPUs[0]; g.Power.Or(g.Power.Mean) != 0 || !math.IsNaN(g.Used.Or(g.Used.Mean)) {
		t.Errorf("%+v", g)
	}
}

// A GPU is no model, a range in which none was watched has none, and a GPU may get another number.
func TestGPUsBesideModels(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 60)
	before := c.now()
	feedGPUs(t, s, c, 60)
	q := store.Query{Repository: "/r", From: before.Add(-time.Minute), To: before, Step: time.Second}
	if series, err := s.Metrics(t.Context(), q); err != nil || len(series.GPUs) != 0 {
		t.Errorf("before there were any: %v, %v", series.GPUs, err)
	}
	sums, err := s.Summaries(t.Context(), store.SummaryQuery{Repository: "/r", From: before.Add(-time.Hour), To: c.now()})
	if err != nil || len(sums) != 2 {
		t.Errorf("models with requests: %v, %v", sums, err)
	}
	moved := store.GPUSample{GPU: store.GPU{Index: 5, UUID: gpu0.UUID, Name: "renamed"}, Power: 1}
	c.advance(time.Second)
	s.AddSample(store.Sample{Repository: "/r", Time: c.now(), Covered: time.Second, GPUs: []store.GPUSample{moved}})
	flush(t, s)
	series := query(t, s, c, window{"m", time.Minute, 100})
	if len(series.GPUs) != 2 || series.GPUs[1] != moved.GPU {
		t.Errorf("the GPUs are %v", series.GPUs)
	}
}

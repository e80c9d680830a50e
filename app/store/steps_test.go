//go:build !race

// What is written second by second and read in every step: minutes under the race detector, which slows SQLite down.
// `make test-go` runs the package without it too.

package store_test

import (
	"math"
	"testing"
	"time"

	"conch/app/store"
)

func TestEveryResolutionCountsTheSame(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feed(t, s, c, 3605)
	for _, test := range []struct {
		name   string
		back   time.Duration
		points int
		step   time.Duration
		want   uint64
	}{
		{"seconds", 119 * time.Second, 200, time.Second, 360},
		{"tens", time.Hour + time.Minute, 300, 20 * time.Second, 3 * 3605},
		{"five minutes", 20 * time.Hour, 100, 15 * time.Minute, 3 * 3605},
		{"a year", 365 * 24 * time.Hour, 100, 316 * 300 * time.Second * 1000 / 900, 3 * 3605},
	} {
		series := query(t, s, c, window{"m", test.back, test.points})
		if got := total(series); got != test.want {
			t.Errorf("%s: %d requests, want %d", test.name, got, test.want)
		}
		if len(series.Points) > test.points+1 {
			t.Errorf("%s: %d points", test.name, len(series.Points))
		}
		if test.name != "a year" && series.Step != test.step {
			t.Errorf("%s: step %v, want %v", test.name, series.Step, test.step)
		}
	}
}

func TestPeaksSurviveEveryStep(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	requests := make([]uint64, 4000)
	for i := range requests {
		requests[i] = 2
	}
	requests[1234], requests[2000] = 500, 0
	burst(t, s, c, "m", requests)
	for _, model := range []string{"", "m"} {
		for _, step := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, time.Hour} {
			series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", Model: model, From: c.now().Add(-70 * time.Minute), To: c.now().Add(time.Second), Step: step})
			if err != nil {
				t.Fatal(err)
			}
			low, high, memory := math.Inf(1), 0.0, 0.0
			for _, p := range series.Points {
				if p.Covered > 0 {
					low, high, memory = min(low, p.Rate.Low), max(high, p.Rate.High), max(memory, p.MemoryExtent.High)
				}
			}
			if low != 0 || high != 500 || memory != 501<<20 {
				t.Errorf("model %q, step %v: rates from %v to %v, memory up to %v", model, step, low, high, memory)
			}
		}
	}
}

func TestGPUsInEveryStep(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	feedGPUs(t, s, c, 4000)
	for _, step := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, time.Hour} {
		series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", From: c.now().Add(-70 * time.Minute), To: c.now().Add(time.Second), Step: step})
		if err != nil {
			t.Fatal(err)
		}
		if len(series.GPUs) != 2 || series.GPUs[0] != gpu0 || series.GPUs[1] != gpu1 {
			t.Fatalf("step %v: the GPUs are %v", step, series.GPUs)
		}
		busy, power, energy, high, points := 0.0, 0.0, 0.0, 0.0, 0.0
		for _, p := range series.Points {
			if p.Covered == 0 {
				continue
			}
			of, other := p.GPUs[0], p.GPUs[1]
			seconds := p.Covered.Seconds()
			energy += of.Drawn.Sum()
			busy, power, high, points = busy+seconds*of.Utilization.Mean, power+seconds*of.Power.Mean, max(high, of.Used.High), points+seconds
			if step > time.Second && p.Covered >= 2*time.Second && (of.Power.Low != 100 || of.Power.High != 300 || of.Utilization.High != 1) {
				t.Errorf("step %v: %+v", step, of)
			}
			if of.Total.Mean != 80<<30 || other.Utilization.Mean != 0.25 || !math.IsNaN(other.Power.Or(other.Power.Mean)) || !math.IsNaN(other.Drawn.Sum()) {
				t.Errorf("step %v: %+v, %+v", step, of, other)
			}
		}
		if points != 4000 || math.Abs(busy-2000) > 1e-6 || math.Abs(power-800_000) > 1e-6 || math.Abs(energy-760_000) > 1e-6 || high != 4000e6 {
			t.Errorf("step %v: in %v s busy for %v s, %v J, %v J counted, up to %v bytes", step, points, busy, power, energy, high)
		}
	}
}

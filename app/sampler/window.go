package sampler

import (
	"time"

	"conch/app/store"
	"conch/engine/histogram"
)

// Spans of the live figures: a rate must react quickly, a percentile needs enough requests.
const (
	rateSpan       = 5 * time.Second
	percentileSpan = time.Minute
)

// Figures are the numbers beside a model. Percentiles are in milliseconds; NaN when there was no
// request.
type Figures struct {
	PerSecond float64
	P50, P99  float64
	Failures  uint64 // since the window was made
}

// Window keeps the last minute of every model.
type Window struct {
	models map[string]*recent
}

type recent struct {
	samples  []second
	failures uint64
	last     Figures
}

type second struct {
	at       time.Time
	requests uint64
	latency  histogram.Counts
}

// Add adds a sample and returns the figures of the models whose figures may have changed.
func (w *Window) Add(sample store.Sample) map[string]Figures {
	if w.models == nil {
		w.models = map[string]*recent{}
	}
	for name, c := range sample.Models {
		if c.IsZero() {
			continue
		}
		r := w.models[name]
		if r == nil {
			r = &recent{}
			w.models[name] = r
		}
		r.failures += c.Failures
		r.samples = append(r.samples, second{sample.Time, c.Requests + c.Failures, c.Latency})
	}
	changed := map[string]Figures{}
	for name, r := range w.models {
		if r.forget(sample.Time); len(r.samples) > 0 || r.last.PerSecond != 0 || r.last.P50 == r.last.P50 {
			r.last = r.figures(sample.Time)
			changed[name] = r.last
		}
	}
	return changed
}

func (r *recent) forget(now time.Time) {
	old := 0
	for old < len(r.samples) && now.Sub(r.samples[old].at) >= percentileSpan {
		old++
	}
	r.samples = r.samples[old:]
}

func (r *recent) figures(now time.Time) Figures {
	var requests uint64
	var latency histogram.Counts
	for _, s := range r.samples {
		if now.Sub(s.at) < rateSpan {
			requests += s.requests
		}
		latency = latency.Merge(s.latency)
	}
	return Figures{
		PerSecond: float64(requests) / rateSpan.Seconds(),
		P50:       latency.Percentile(0.50) / float64(time.Millisecond),
		P99:       latency.Percentile(0.99) / float64(time.Millisecond),
		Failures:  r.failures,
	}
}

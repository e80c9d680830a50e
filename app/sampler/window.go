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

// Figures are the numbers beside a model. They count all requests to it, whether clients, ensembles or
// other models made them. Percentiles are in milliseconds; NaN when there was no
// request.
type Figures struct {
	PerSecond float64
	P50, P99  float64
	Failures  uint64 // since the window was made
}

// Window keeps the last minute of every model, and the rate of what clients send.
type Window struct {
	models  map[string]*recent
	clients []second
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
	w.clients = append(newer(w.clients, sample.Time.Add(-rateSpan)), second{at: sample.Time, requests: sample.Clients.Requests + sample.Clients.Failures})
	changed := map[string]Figures{}
	for name, r := range w.models {
		r.samples = newer(r.samples, sample.Time.Add(-percentileSpan))
		if len(r.samples) > 0 || r.last.PerSecond != 0 || r.last.P50 == r.last.P50 {
			r.last = r.figures(sample.Time)
			changed[name] = r.last
		}
	}
	return changed
}

// PerSecond returns the rate of the requests that clients sent, to all models.
func (w *Window) PerSecond() float64 { return rate(w.clients) }

// newer drops the samples up to a time.
func newer(list []second, than time.Time) []second {
	old := 0
	for old < len(list) && !list[old].at.After(than) {
		old++
	}
	return list[old:]
}

// rate returns the requests per second of the samples of a rateSpan.
func rate(list []second) float64 {
	var requests uint64
	for _, s := range list {
		requests += s.requests
	}
	return float64(requests) / rateSpan.Seconds()
}

func (r *recent) figures(now time.Time) Figures {
	var latency histogram.Counts
	for _, s := range r.samples {
		latency = latency.Merge(s.latency)
	}
	return Figures{
		PerSecond: rate(newer(r.samples, now.Add(-rateSpan))),
		P50:       latency.Percentile(0.50) / float64(time.Millisecond),
		P99:       latency.Percentile(0.99) / float64(time.Millisecond),
		Failures:  r.failures,
	}
}

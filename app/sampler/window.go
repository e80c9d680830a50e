package sampler

import (
	"time"

	"conch/app/store"
)

// rateSpan is the time over which the rates of this moment are counted.
const rateSpan = 5 * time.Second

// Window keeps the requests of the last seconds: of every model, and of all clients. Those of a model are
// all requests to it, whether clients, ensembles or other models made them.
type Window struct {
	models  map[string][]second
	clients []second
}

type second struct {
	at       time.Time
	requests uint64
}

// Add adds a sample and returns the requests per second of the models whose rate may have changed.
func (w *Window) Add(sample store.Sample) map[string]float64 {
	if w.models == nil {
		w.models = map[string][]second{}
	}
	for name, c := range sample.Models {
		if !c.IsZero() {
			w.models[name] = append(w.models[name], secondOf(sample.Time, c))
		}
	}
	since := sample.Time.Add(-rateSpan)
	w.clients = append(newer(w.clients, since), secondOf(sample.Time, sample.Clients))
	changed := map[string]float64{}
	for name, list := range w.models {
		list = newer(list, since)
		changed[name] = rate(list)
		if w.models[name] = list; len(list) == 0 {
			delete(w.models, name) // its rate is 0 until there are new requests
		}
	}
	return changed
}

// PerSecond returns the rate of the requests that clients sent, to all models.
func (w *Window) PerSecond() float64 { return rate(w.clients) }

func secondOf(at time.Time, c store.Counters) second { return second{at, c.Requests + c.Failures} }

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

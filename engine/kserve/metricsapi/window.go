package metricsapi

import (
	"sync"
	"time"

	"conch/engine/kserve"
)

const (
	span = time.Minute     // what quantiles look back on, as prometheus-cpp's in Triton do
	step = 5 * time.Second // between the looks that are kept
)

// windows remember what the histograms of models were, so that a page's quantiles are those of the last minute.
type windows struct {
	mu   sync.Mutex          // guards kept
	kept map[uint64][]moment // by generation, the oldest first
}

// moment is how histograms were at a time.
type moment struct {
	at      time.Time
	latency kserve.Latency
}

// before gives how the histograms were a minute ago; zero for a load that is younger, or that nobody looked at.
func (w *windows) before(now time.Time, l *kserve.Latency) kserve.Latency {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept == nil {
		w.kept = map[uint64][]moment{}
	}
	looks := w.kept[l.Generation]
	for len(looks) > 1 && now.Sub(looks[1].at) >= span {
		looks = looks[1:]
	}
	if len(looks) == 0 || now.Sub(looks[len(looks)-1].at) >= step {
		looks = append(looks, moment{now, *l})
	}
	w.kept[l.Generation] = looks
	if now.Sub(looks[0].at) < span {
		return kserve.Latency{}
	}
	return looks[0].latency
}

// forget lets go of loads that are no more.
func (w *windows) forget(reported []kserve.ModelMetrics) {
	alive := map[uint64]bool{}
	for i := range reported {
		alive[reported[i].Latency.Generation] = true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for generation := range w.kept {
		if !alive[generation] {
			delete(w.kept, generation)
		}
	}
}

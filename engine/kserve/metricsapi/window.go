package metricsapi

import (
	"sync"
	"time"

	"conch/engine/kserve"
)

const (
	span = time.Minute     // the time that quantiles cover, as with prometheus-cpp in Triton
	step = 5 * time.Second // the interval of the snapshots
)

// windows keep earlier histograms of models, so that a page's quantiles cover the last minute.
type windows struct {
	mu   sync.Mutex          // guards kept
	kept map[uint64][]moment // by generation, the oldest first
}

// moment is a snapshot of histograms.
type moment struct {
	at      time.Time
	latency kserve.Latency
}

// before returns the histograms of a minute ago. It returns zero for a newer load, and for a load without an
// earlier snapshot.
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

// forget drops the snapshots of loads that have ended.
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

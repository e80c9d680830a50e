package sampler

import (
	"maps"
	"slices"
	"time"

	"conch/app/store"
)

// busySpan is how long the memory of a model may still change after its last request: an arena is given
// back some seconds after it.
const busySpan = 10 * time.Second

// Busy keeps which models had requests lately.
type Busy struct{ last map[string]time.Time }

// Add adds a sample.
func (b *Busy) Add(sample store.Sample) {
	if b.last == nil {
		b.last = map[string]time.Time{}
	}
	for name, c := range sample.Models {
		if !c.IsZero() {
			b.last[name] = sample.Time
		}
	}
	maps.DeleteFunc(b.last, func(_ string, at time.Time) bool { return sample.Time.Sub(at) > busySpan })
}

// Models lists them by name.
func (b *Busy) Models() []string { return slices.Sorted(maps.Keys(b.last)) }

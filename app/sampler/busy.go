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
type Busy struct {
	last map[string]time.Time
	turn string // the model that was in turn last
}

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

// Due lists the models whose memory is looked at now: those with requests lately, and one of the loaded in turn. The memory of a
// model at rest may change too, as when a debugger starts in it, and looking at all of them each second would cost.
func (b *Busy) Due(loaded []string) []string {
	due := slices.Collect(maps.Keys(b.last))
	if len(loaded) > 0 {
		loaded = slices.Sorted(slices.Values(loaded))
		next, _ := slices.BinarySearch(loaded, b.turn+"\x00") // the first name after the last one
		b.turn = loaded[next%len(loaded)]
		due = append(due, b.turn)
	}
	slices.Sort(due)
	return slices.Compact(due)
}

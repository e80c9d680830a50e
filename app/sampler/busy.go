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

// Due lists the models whose memory is looked at now: those, and one of all in turn. That of a model at rest may change, too,
// as when a debugger starts in it, and looking at all of them each second would cost.
func (b *Busy) Due(all []string) []string {
	due := slices.Collect(maps.Keys(b.last))
	if len(all) > 0 {
		all = slices.Sorted(slices.Values(all))
		next, _ := slices.BinarySearch(all, b.turn+"\x00") // the first name behind it
		b.turn = all[next%len(all)]
		due = append(due, b.turn)
	}
	slices.Sort(due)
	return slices.Compact(due)
}

package metrics

import (
	"cmp"
	"slices"
	"sync"
)

// goneLines is how many unloaded versions a Ledger keeps.
const goneLines = 1000

// Ledger sums the users' requests to each version over all its loads. Reloads and unloads do not reduce the sums.
// It keeps at most 1,000 unloaded versions, and drops the oldest first. A nil Ledger sums nothing. It is safe for
// concurrent use.
type Ledger struct {
	mu    sync.Mutex // guards what follows
	lines map[lineKey]*line
	ends  uint64 // how many lines have ended so far
}

type lineKey struct {
	model   string
	version int64
}

// line is the sum of one version's loads.
type line struct {
	generation uint64
	counting   []*Counters // of loads that serve or drain
	past       Snapshot    // the sum of the loads that have ended
	rested     uint64      // the number of its end; meaningless while a load still counts
}

// Sum is the sum of the users' requests to one version since the process began. Generation changes when the sum
// begins at zero again.
type Sum struct {
	Model   string
	Version int64
	Snapshot
}

// Open adds the counters of a load that is about to serve. Counters that are already open are not added again.
func (l *Ledger) Open(model string, version int64, c *Counters) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := lineKey{model, version}
	if l.lines == nil {
		l.lines = map[lineKey]*line{}
	}
	if l.lines[key] == nil {
		l.lines[key] = &line{generation: c.generation}
	}
	if entry := l.lines[key]; !slices.Contains(entry.counting, c) {
		entry.counting = append(entry.counting, c)
	}
}

// Close adds the final counts of a load to the sum of its line.
func (l *Ledger) Close(model string, version int64, c *Counters) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.lines[lineKey{model, version}]
	if entry == nil || !slices.Contains(entry.counting, c) {
		return
	}
	entry.past = c.Users().plus(entry.past)
	entry.past.Batches = nil // Sum is about requests
	entry.counting = slices.DeleteFunc(entry.counting, func(other *Counters) bool { return other == c })
	l.ends++
	entry.rested = l.ends
	l.forget()
}

// forget drops the lines that ended first. l.mu is held.
func (l *Ledger) forget() {
	var gone []lineKey
	for key, entry := range l.lines {
		if len(entry.counting) == 0 {
			gone = append(gone, key)
		}
	}
	if len(gone) <= goneLines {
		return
	}
	slices.SortFunc(gone, func(a, b lineKey) int { return cmp.Compare(l.lines[a].rested, l.lines[b].rested) })
	for _, key := range gone[:len(gone)-goneLines] {
		delete(l.lines, key)
	}
}

// Sums returns the sums of all versions, by name and number.
func (l *Ledger) Sums() []Sum {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Sum, 0, len(l.lines))
	for key, entry := range l.lines {
		total := entry.past
		for _, c := range entry.counting {
			total = c.Users().plus(total)
		}
		total.Generation = entry.generation
		list = append(list, Sum{key.model, key.version, total})
	}
	slices.SortFunc(list, func(a, b Sum) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Version, b.Version))
	})
	return list
}

package own

import (
	"maps"
	"slices"
)

// Reading is a metric at one moment.
type Reading struct {
	Name        string // of the family
	Kind        Kind
	Description string
	Labels      map[string]string
	Value       float64 // of a histogram the sum
	Count       uint64  // of a histogram
	Buckets     map[float64]uint64
}

// Snapshot returns all metrics, by family and labels.
func (r *Registry) Snapshot() (list []Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.families)) {
		f := r.families[name]
		for _, key := range slices.Sorted(maps.Keys(f.metrics)) {
			m := f.metrics[key]
			list = append(list, Reading{
				Name: name, Kind: f.kind, Description: f.description, Labels: maps.Clone(m.labels),
				Value: m.value, Count: m.count, Buckets: m.buckets(),
			})
		}
	}
	return list
}

// buckets returns how many values are at most as large as each bound.
func (m *metric) buckets() map[float64]uint64 {
	below, list := uint64(0), make(map[float64]uint64, len(m.bounds))
	for i, bound := range m.bounds {
		below += m.counts[i]
		list[bound] = below
	}
	return list
}

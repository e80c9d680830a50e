package metrics

import (
	"sync/atomic"
	"time"
)

// FirstResponse counts how long requests waited for their first response, in buckets with fixed bounds, as Triton's
// nv_inference_first_response_histogram_ms does. A nil FirstResponse counts nothing.
type FirstResponse struct {
	bounds []float64 // milliseconds, ascending
	counts []atomic.Uint64
	sumMs  atomic.Uint64
}

// NewFirstResponse returns counters for buckets with these upper bounds.
func NewFirstResponse(bounds []float64) *FirstResponse {
	return &FirstResponse{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// Add counts a request that was received at a time and is answered now.
func (f *FirstResponse) Add(received time.Time) {
	if f == nil {
		return
	}
	ms := uint64(max(time.Since(received).Milliseconds(), 0)) // whole milliseconds, as in Triton
	i := 0
	for i < len(f.bounds) && float64(ms) > f.bounds[i] {
		i++
	}
	f.counts[i].Add(1)
	f.sumMs.Add(ms)
}

// FirstSnapshot is a copy of FirstResponse: how many requests took at most as long as each bound.
type FirstSnapshot struct {
	Bounds     []float64
	Cumulative []uint64
	Count      uint64
	SumMs      uint64
}

// Snapshot copies the numbers; nil when nothing is counted.
func (f *FirstResponse) Snapshot() *FirstSnapshot {
	if f == nil {
		return nil
	}
	s := &FirstSnapshot{Bounds: f.bounds, SumMs: f.sumMs.Load()}
	for i := range f.counts {
		s.Count += f.counts[i].Load()
		if i < len(f.bounds) {
			s.Cumulative = append(s.Cumulative, s.Count)
		}
	}
	return s
}

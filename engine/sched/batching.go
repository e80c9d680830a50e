package sched

import (
	"slices"
	"time"
)

// Batching are the rules by which Dynamic puts requests together and lets them wait
// (docs/triton/schedulers.md, "Dynamic batching").
type Batching struct {
	MaxBatch int64 // items, not requests; 0 counts as 1
	// Preferred are the batch sizes at which a batch runs without waiting for more requests. The default is
	// MaxBatch.
	Preferred []int64
	MaxDelay  time.Duration // how long the oldest may wait for others
	// Levels are the queues by priority, the highest first. The default is one queue without
	// limits.
	Levels []Policy
	// DefaultLevel is the level, counted from 1, of a request without a priority or with an unknown
	// one.
	DefaultLevel uint64
	// Ragged are the inputs that may have different shapes within a batch (allow_ragged_batch).
	// ByContent are the inputs that must have the same content (is_shape_tensor). See
	// docs/triton/schedulers.md, "What may run together".
	Ragged, ByContent map[string]bool
	// Ordered sends answers in the order in which the requests arrived, even when a later one is
	// ready first.
	Ordered bool
	// Account opens the account of a request whose answers wait for those of earlier ones, where they are Ordered. nil for no bound.
	Account func() Account
	// Timers ring when a delay or a timeout ends; nil for Go's.
	Timers Timers
}

// Account counts the memory of one request. One goroutine at a time uses it.
type Account interface {
	// Grow adds bytes before they are kept, or returns why they may not be kept.
	Grow(bytes int64) error
	// Give returns bytes.
	Give(bytes int64)
}

// Policy limits the length of one level's queue and the age of the requests in it.
type Policy struct {
	MaxSize int           // requests; 0 for no limit
	Timeout time.Duration // 0 for none
	Late    Late
	// Override lets a request ask for a shorter timeout. A longer timeout is ignored, and so is any timeout where
	// the level has none.
	Override bool
}

// Late is the action for a request that has waited longer than its timeout.
type Late int

// The timeout actions.
const (
	Reject Late = iota
	Delay       // it runs when no other request of its level waits
)

// timeout returns how long a request may wait; 0 means for ever.
func (p Policy) timeout(asked time.Duration) time.Duration {
	if p.Override && asked != 0 && asked < p.Timeout {
		return asked
	}
	return p.Timeout
}

func (b *Batching) maxBatch() int64 { return max(b.MaxBatch, 1) }

// largest returns the batch size at which it is useless to wait for more requests.
func (b *Batching) largest() int64 {
	if len(b.Preferred) == 0 {
		return b.maxBatch()
	}
	return slices.Max(b.Preferred)
}

// choose returns how many waiters, from the front of the lists, run now; 0 means that all wait on.
// It never skips a waiter that does not fit (docs/triton/schedulers.md, "Dynamic batching", steps 1
// to 3).
func (b *Batching) choose(now time.Time, lists ...[]*waiter) int {
	s := b.newScan()
	for i := 0; i < len(lists) && !s.full; i++ {
		s.addAll(lists[i])
	}
	return s.decide(now)
}

func (b *Batching) newScan() scan { return scan{rules: b, largest: b.largest()} }

// decide returns how many of the scanned requests run now.
func (s *scan) decide(now time.Time) int {
	delay := s.rules.MaxDelay
	tooLate := delay > 0 && s.count > 0 && now.Sub(s.oldest) >= delay
	switch {
	case s.preferred > 0 && !tooLate:
		return s.preferred
	case s.full || s.items >= s.largest || tooLate || delay == 0:
		return s.count
	}
	return 0
}

// scan is a walk over a queue from its front.
type scan struct {
	rules   *Batching
	largest int64

	first     *waiter
	oldest    time.Time
	items     int64
	count     int
	preferred int  // requests up to the last point at which the batch had a preferred size
	full      bool // the next request does not fit
}

func (s *scan) addAll(list []*waiter) {
	for _, w := range list {
		if !s.add(w) {
			return
		}
	}
}

// add adds a request to the batch. It returns false when the request does not fit.
func (s *scan) add(w *waiter) bool {
	size := max(w.call.Request.Batch, 1)
	if s.count == 0 {
		s.first, s.oldest = w, w.since
	} else {
		if s.preferred == 0 && s.items+size > s.largest {
			s.preferred = s.count
		}
		if s.items+size > s.rules.maxBatch() || !s.rules.alike(s.first.call.Request, w.call.Request) {
			s.full = true
			return false
		}
	}
	if w.since.Before(s.oldest) {
		s.oldest = w.since
	}
	s.items += size
	s.count++
	if slices.Contains(s.rules.Preferred, s.items) {
		s.preferred = s.count
	}
	return true
}

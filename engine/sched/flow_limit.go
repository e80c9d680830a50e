package sched

import (
	"context"
	"time"
)

// limit bounds how many requests of a step are underway, over all requests of the ensemble (max_inflight_requests).
// A turn above the limit waits, and so does the model whose response started it.
type limit chan struct{}

// patience is how long a step waits at its limit. Steps that run on the same instances can wait for each other; Triton
// goes on after that time, too.
const patience = 300 * time.Second

func newLimit(most uint32) limit {
	if most == 0 {
		return nil
	}
	return make(limit, most)
}

// enter waits for a free place. inside is false when the client has left, or when no place became free in time; stuck
// is true then.
func (l limit) enter(ctx context.Context) (inside, stuck bool) {
	select {
	case l <- struct{}{}:
		return true, false
	default:
	}
	alarm := time.NewTimer(patience)
	defer alarm.Stop()
	select {
	case l <- struct{}{}:
		return true, false
	case <-alarm.C:
		return false, true
	case <-ctx.Done():
		return false, false
	}
}

// enter waits until a step may have one more request underway. It reports whether the caller must
// leave the limit later.
func (f *flow) enter(s *step) bool {
	if s.limit == nil {
		return false
	}
	inside, stuck := s.limit.enter(f.ctx)
	if stuck && f.e.Stuck != nil {
		f.e.Stuck(s.model, cap(s.limit))
	}
	return inside
}

func (l limit) leave() { <-l }

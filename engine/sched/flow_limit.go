package sched

import (
	"context"
	"time"
)

// limit bounds how many requests of a step are underway, over all requests of the ensemble (max_inflight_requests):
// who makes more has to wait, and so does the model that drives it.
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

// enter waits for room; it is not inside when there is none although time is up, which is stuck, or the client has gone.
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

// enter waits until a step may have one more request underway, and reports whether it has to leave.
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

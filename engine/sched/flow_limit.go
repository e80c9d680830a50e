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

// enter waits for room; false when there is none although time is up or the client has gone.
func (l limit) enter(ctx context.Context) bool {
	if l == nil {
		return false
	}
	select {
	case l <- struct{}{}:
		return true
	default:
	}
	alarm := time.NewTimer(patience)
	defer alarm.Stop()
	select {
	case l <- struct{}{}:
		return true
	case <-alarm.C:
	case <-ctx.Done():
	}
	return false
}

func (l limit) leave() { <-l }

package unblocking

import "sync/atomic"

// mostServed is how many readers are served at most before other threads have the processor.
const mostServed = 16

// Rounds knows when the readers of a server have used the processor long enough: when half of those that are busy have been served. To
// give it away after each one costs a switch for each; to keep it for a whole round has what they wait for wait too.
type Rounds struct {
	served atomic.Int64
	given  atomic.Int64 // served, when the processor was given away
}

// Turn is when a reader was served, as Rounds count it.
type Turn int64

// Over notes that a reader has been served. It reports whether the processor should be given away.
func (r *Rounds) Over(t *Turn) bool {
	now := r.served.Add(1)
	busy := now - int64(*t) // as many were served since it was
	*t = Turn(now)
	if now-r.given.Load() < min((busy+1)/2, mostServed) {
		return false
	}
	r.given.Store(now)
	return true
}

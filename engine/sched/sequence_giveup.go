package sched

import "slices"

// GiveUp gives up an instance whose execution does not return. The requests of its batch are answered with err,
// except the one whose goroutine is in the execution. Sequences with a slot on the instance end with err too. When no
// other instance is left, the backlog is answered too. If the execution returns after all, the instance is not used
// again.
func (s *Sequence) GiveUp(e Executor, err error) {
	s.mu.Lock()
	var stranded, queued []*waiter
	var claims []*inTurn
	alive := false
	for _, l := range s.lanes {
		if runs(l.executor, e) && l.at != nil && !l.lost {
			l.lost = true
			stranded = append(stranded, l.strand(err)...)
			queued = append(queued, s.abandon(l.slots)...)
			if t, ok := l.executor.(*inTurn); ok {
				claims = append(claims, t)
			}
		}
		alive = alive || !l.lost && !l.out
	}
	if !alive {
		s.dead = err
		queued = append(queued, s.abandon(s.backlog)...)
		s.backlog = nil
	}
	s.mu.Unlock()
	for _, w := range stranded {
		w.turn <- nil
	}
	for _, w := range queued {
		s.gauge.Queued(-1)
		w.end(err)
	}
	for _, t := range claims {
		t.giveBack()
	}
}

// runs reports whether an executor is other, or wraps it (InTurn).
func runs(e, other Executor) bool {
	if t, ok := e.(*inTurn); ok {
		e = t.Executor
	}
	return e == other
}

// strand returns the requests that can be answered before the batch returns. s.mu is held.
func (l *lane) strand(err error) (members []*waiter) {
	for _, w := range l.at.members {
		if w != nil && w != l.at.first {
			w.stranded = err
			members = append(members, w)
		}
	}
	if first := l.at.first; first != nil && first.left != nil { // the requests behind it must not wait for it
		go pass(first.before, first.left)
		first.left = nil
	}
	return members
}

// forgetStranded ends a batch that returned after it was given up. Its sequences are over.
func (b *row) forgetStranded() {
	for _, w := range b.members {
		if w != nil && w != b.first {
			w.call.forget()
		}
	}
	if c := &b.first.call; c.again {
		free(c.state)
		c.again, c.state, c.ended = false, nil, false
		c.Fail(deserted())
	}
}

// abandon ends sequences and returns their queued requests. s.mu is held.
func (s *Sequence) abandon(list []*sequence) (queued []*waiter) {
	for _, q := range slices.Clone(list) {
		if q == nil {
			continue
		}
		q.rest()
		if s.live[q.key] == q {
			delete(s.live, q.key)
		}
		queued = append(queued, q.queue...)
		q.queue, q.ended = nil, true
	}
	return queued
}

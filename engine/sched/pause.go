package sched

import "slices"

// Pauser is a scheduler whose instances may be out for a while, for example when an instance died
// and is created again.
type Pauser interface {
	// Pause gives an instance no more requests until Resume. A running execution ends by itself. When no other
	// instance is left, the waiting requests, and those that come before Resume, are answered with why. Sequences
	// with a slot on the instance end with why.
	Pause(e Executor, why error)
	Resume(e Executor)
}

var (
	_ Pauser = (*Dynamic)(nil)
	_ Pauser = (*Sequence)(nil)
)

// Pause implements Pauser.
func (d *Dynamic) Pause(e Executor, why error) {
	d.mu.Lock()
	var u unused
	var queued []*waiter
	left := 0
	for _, r := range d.all {
		if r.executor == e && !r.lost {
			r.out = true
			if slices.Contains(d.idle, r) && r.claim != nil {
				u.granted = append(u.granted, r)
			}
			if r.asking {
				u.asking = append(u.asking, r)
			}
			is := func(other *runner) bool { return other == r }
			d.idle, d.waiting = slices.DeleteFunc(d.idle, is), slices.DeleteFunc(d.waiting, is)
		}
		if !r.lost && !r.out {
			left++
		}
	}
	if left == 0 {
		queued, d.dead = d.queue.popAll(), why
	}
	d.mu.Unlock()
	d.settle(u)
	for _, w := range queued {
		d.gauge.Queued(-1)
		w.end(why)
	}
}

// Resume implements Pauser.
func (d *Dynamic) Resume(e Executor) {
	d.mu.Lock()
	for _, r := range d.all {
		if r.executor != e || !r.out || r.lost {
			continue
		}
		r.out, d.dead = false, nil
		switch {
		case r.at != nil: // its batch ends by itself
		case r.claim != nil:
			d.waiting = append(d.waiting, r)
		default:
			d.idle = append(d.idle, r)
		}
	}
	d.mu.Unlock()
	d.wake()
}

// Pause implements Pauser.
func (s *Sequence) Pause(e Executor, why error) {
	s.mu.Lock()
	var queued []*waiter
	left := 0
	for _, l := range s.lanes {
		if runs(l.executor, e) && !l.lost {
			l.out = true
			queued = append(queued, s.abandon(l.slots)...)
			for i, q := range l.slots {
				if q != nil {
					q.lane, l.slots[i], q.lost = nil, nil, why
				}
			}
		}
		if !l.lost && !l.out {
			left++
		}
	}
	if left == 0 {
		s.dead = why
		queued = append(queued, s.abandon(s.backlog)...)
		s.backlog = nil
	}
	s.mu.Unlock()
	for _, w := range queued {
		s.gauge.Queued(-1)
		w.end(why)
	}
}

// Resume implements Pauser.
func (s *Sequence) Resume(e Executor) {
	s.mu.Lock()
	for _, l := range s.lanes {
		if runs(l.executor, e) && l.out && !l.lost {
			l.out, s.dead = false, nil
		}
	}
	for len(s.backlog) > 0 && s.place(s.backlog[0]) {
		s.watch(s.backlog[0])
		s.backlog = s.backlog[1:]
	}
	s.mu.Unlock()
	s.wake()
}

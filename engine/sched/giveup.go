package sched

// GiveUp gives up an instance whose execution does not return. The requests of its batch are answered with err,
// except the one whose goroutine is in the execution. When no other instance is left, the queued requests are
// answered with err too. If the execution returns after all, the instance is not used again.
func (d *Dynamic) GiveUp(e Executor, err error) {
	d.mu.Lock()
	var stranded []*waiter
	var claims []*Claim
	alive := 0
	for _, r := range d.all {
		if r.executor == e && r.at != nil && !r.lost {
			r.lost = true
			stranded = append(stranded, r.at.strand(err)...)
			if r.claim != nil {
				claims = append(claims, r.claim)
			}
		}
		if !r.lost && !r.out {
			alive++
		}
	}
	var queued []*waiter
	if alive == 0 {
		queued, d.dead = d.queue.popAll(), err
	}
	d.mu.Unlock()
	for _, w := range stranded {
		w.turn <- nil
	}
	for _, w := range queued {
		d.gauge.Queued(-1)
		w.end(err)
	}
	for _, c := range claims {
		c.Return(true)
	}
}

// strand returns the members that can be answered before the batch returns. The scheduler's mutex
// is held.
func (b *batch) strand(err error) (members []*waiter) {
	for _, w := range b.members {
		w.batch = nil
		if w != b.lead {
			w.stranded = err
			members = append(members, w)
		}
	}
	if b.lead.left != nil { // the requests behind it must not wait for it
		go pass(b.lead.before, b.lead.left)
		b.lead.left = nil
	}
	return members
}

// forgetStranded ends a batch that returned after it was given up.
func (b *batch) forgetStranded() {
	for _, w := range b.members {
		if w != b.lead {
			w.call.forget()
		}
	}
}

// popAll removes and returns all requests.
func (q *queue) popAll() []*waiter {
	n := 0
	for _, list := range q.inOrder() {
		n += len(list)
	}
	return q.pop(n, nil)
}

// GiveUp gives up an instance whose execution does not return. When no other instance is left, the queued requests
// are answered with err.
func (d *Direct) GiveUp(e Executor, err error) { d.Pause(e, err) }

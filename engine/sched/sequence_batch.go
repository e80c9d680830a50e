package sched

import (
	"cmp"
	"context"
	"slices"
	"time"

	"conch/engine/infer"
)

// row is one batch of a sequence scheduler. For the direct strategy it is ordered by slot, and nil is a slot with
// nothing to run.
type row struct {
	lane    *lane
	members []*waiter
	first   *waiter // who runs it
}

// wake refuses the requests that waited too long for a slot, and starts every batch that is ready.
func (s *Sequence) wake() {
	for {
		s.mu.Lock()
		now := time.Now()
		expired := s.expire(now)
		b := s.next(now)
		s.mu.Unlock()
		for _, w := range expired {
			s.gauge.Queued(-1)
			w.end(&infer.Error{Code: infer.Unavailable, Message: "timeout of the corresponding sequence has been expired", Fate: infer.Expired})
		}
		if b == nil {
			return
		}
		lead := b.first
		lead.turn <- func() { lead.goesOn = s.run(b, lead) }
	}
}

// expire removes sequences from the backlog that have a request whose timeout has passed. s.mu is
// held.
func (s *Sequence) expire(now time.Time) (expired []*waiter) {
	if s.nearest.IsZero() || now.Before(s.nearest) {
		return nil
	}
	s.nearest = time.Time{}
	s.backlog = slices.DeleteFunc(s.backlog, func(q *sequence) bool {
		late := slices.ContainsFunc(q.queue, func(w *waiter) bool { return !w.deadline.IsZero() && !now.Before(w.deadline) })
		if !late {
			for _, w := range q.queue {
				s.near(w.deadline)
			}
			return false
		}
		expired = append(expired, q.queue...)
		q.queue = nil
		s.release(q)
		return true
	})
	return expired
}

// near notes a deadline; zero is none. s.mu is held.
func (s *Sequence) near(deadline time.Time) {
	if !deadline.IsZero() && (s.nearest.IsZero() || deadline.Before(s.nearest)) {
		s.nearest = deadline
	}
}

// next returns the next batch, or nil when none can run now. s.mu is held.
func (s *Sequence) next(now time.Time) *row {
	for _, l := range s.lanes {
		if l.busy || l.out {
			continue
		}
		members := s.oldest(l, now)
		if s.rules.Oldest == nil {
			members = s.direct(l, now)
		}
		if len(members) == 0 {
			continue
		}
		l.busy = true
		for _, w := range members {
			if w != nil {
				w.sequence.queue, w.sequence.running = w.sequence.queue[1:], true
				w.call.Queue, w.call.since = now.Sub(w.since), w.since
				if l.eager {
					w.call.gauge = s.gauge
				} else {
					s.gauge.Queued(-1)
				}
				s.order(l, w)
			}
		}
		l.at = &row{lane: l, members: members}
		l.at.first = l.at.lead()
		return l.at
	}
	return nil
}

// order makes answers leave in the order in which an instance got the requests (preserve_ordering). s.mu is held.
func (s *Sequence) order(l *lane, w *waiter) {
	if s.rules.Oldest == nil || !s.rules.Oldest.Ordered || s.rules.Iterative {
		return
	}
	w.order(l.last, s.rules.Oldest.Account)
	l.last = w.left
}

// head returns the request of a sequence that may run next, ready for the model; nil when there is none.
func (s *Sequence) head(q *sequence) *waiter {
	if q == nil || q.running || len(q.queue) == 0 {
		return nil
	}
	w := q.queue[0]
	if !w.wired {
		if w.bare.Sequence.Start {
			q.state = nil
		}
		w.call.Request, w.wired = s.wiring.Wire(w.bare, q.state), true
	}
	return w
}

// oldest forms a batch of requests of different sequences as the dynamic batcher does, in the order of arrival.
func (s *Sequence) oldest(l *lane, now time.Time) []*waiter {
	if s.rules.Oldest == nil {
		return nil
	}
	var ready []*waiter
	for _, q := range l.slots {
		if w := s.head(q); w != nil {
			ready = append(ready, w)
		}
	}
	slices.SortFunc(ready, func(a, b *waiter) int { return cmp.Compare(a.number, b.number) })
	return ready[:s.rules.Oldest.choose(now, ready)]
}

// direct takes one request of each slot, from the first slot to the last that has one. A slot with nothing to run, or
// with another shape than the first, is nil.
func (s *Sequence) direct(l *lane, now time.Time) []*waiter {
	members := make([]*waiter, len(l.slots))
	var lead *waiter
	var oldest time.Time
	last, ready := -1, 0
	rules := Batching{Ragged: s.rules.Ragged}
	for slot, q := range l.slots {
		w := s.head(q)
		if w == nil {
			continue
		}
		last = slot
		if ready++; ready == 1 || w.since.Before(oldest) {
			oldest = w.since
		}
		if lead == nil {
			lead = w
		}
		if rules.alike(lead.call.Request, w.call.Request) {
			members[slot] = w
		}
	}
	few := float32(ready) < s.rules.Utilization*float32(len(l.slots))
	if lead == nil || few && now.Sub(oldest) < s.rules.MaxDelay {
		return nil
	}
	return members[:last+1]
}

// lead returns the first request of the batch, which runs it.
func (b *row) lead() *waiter {
	return b.members[slices.IndexFunc(b.members, func(w *waiter) bool { return w != nil })]
}

// run executes a batch, keeps the sequences' states and gives the instance back. It reports whether the lead runs again.
func (s *Sequence) run(b *row, lead *waiter) (again bool) {
	calls := make([]*Call, len(b.members))
	ctx, others := lead.ctx, false
	for i, w := range b.members {
		switch {
		case w == nil:
			calls[i] = NewCall(context.WithoutCancel(ctx), s.wiring.Null(lead.call.Request), func(*infer.Response) error { return nil })
		default:
			calls[i], others = &w.call, others || w != lead
		}
	}
	if others {
		ctx = context.WithoutCancel(ctx)
	}
	b.lane.executor.Execute(ctx, calls)
	for i, w := range b.members {
		calls[i].waitsNoMore()
		if w == nil {
			calls[i].discard()
		}
	}
	done, left, lost := s.finishAll(b)
	if lost {
		b.forgetStranded()
		done = []*waiter{lead}
	}
	for _, w := range done {
		if w != lead {
			w.turn <- nil
		}
	}
	for _, w := range left {
		s.gauge.Queued(-1)
		w.end(deserted())
	}
	s.wake()
	return !slices.Contains(done, lead)
}

// finishAll gives the instance back. It returns the requests of the batch that are done, and the requests that will
// not run because their sequences are over. lost is true when the instance was given up.
func (s *Sequence) finishAll(b *row) (done, left []*waiter, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.lane.lost {
		return nil, nil, true
	}
	b.lane.busy, b.lane.at = false, nil
	for _, w := range b.members {
		switch {
		case w == nil:
		case s.finish(w):
			done = append(done, w)
			left = append(left, s.conclude(w)...)
		}
	}
	return done, left, false
}

// finish stores the state that a request returned. It returns false for a request that runs again, as the last of its
// sequence and without START and END (Triton's IterativeSequencer). s.mu is held.
func (s *Sequence) finish(w *waiter) bool {
	q, c := w.sequence, &w.call
	q.running = false
	if c.response != nil {
		q.state = s.wiring.Keep(q.state, c.response)
	}
	if !c.again {
		return true
	}
	if c.state != nil {
		q.state = s.wiring.Keep(q.state, c.state)
		free(c.state)
	}
	c.again, c.state, c.ended = false, nil, false
	switch {
	case c.err != nil: // its client accepts no more
		return true
	case !s.rules.Iterative:
		c.Fail(infer.Errorf(infer.Internal, "model '%s' asks to run a request again, but its config has no iterative_sequence", s.rules.Model))
		return true
	case w.ctx.Err() != nil:
		c.Fail(Gone(w.ctx))
		return true
	case q.lost != nil:
		c.Fail(q.lost)
		return true
	}
	next := *w.bare
	next.Sequence.Start, next.Sequence.End = false, false
	c.Request, w.wired, w.since = &next, false, time.Now()
	s.append(q, w)
	return false
}

// conclude frees the slot after the last request of a sequence. Where sequences are iterative, any finished request
// is the last. It returns the requests that will not run. s.mu is held.
func (s *Sequence) conclude(w *waiter) (left []*waiter) {
	q := w.sequence
	if s.rules.Iterative {
		left, q.queue, q.ended = q.queue, nil, true
	}
	if q.ended && len(q.queue) == 0 {
		s.release(q)
	}
	return left
}

// leave ends a sequence when the client of one of its requests has left. The requests behind it
// make no sense without it (docs/triton/sequences.md, "Slots"), up to a START, which begins again.
// In the backlog, none of the sequence's requests runs.
func (s *Sequence) leave(w *waiter) {
	s.mu.Lock()
	q := w.sequence
	var out []*waiter
	if at := slices.Index(q.queue, w); at >= 0 {
		from, to := at, at+1
		for q.lane == nil && from > 0 && !q.queue[from].bare.Sequence.Start {
			from--
		}
		for to < len(q.queue) && !q.queue[to].bare.Sequence.Start {
			to++
		}
		if to == len(q.queue) {
			q.ended = true
			if s.live[q.key] == q {
				delete(s.live, q.key)
			}
		}
		out = slices.Clone(q.queue[from:to])
		q.queue = slices.Delete(q.queue, from, to)
		if len(q.queue) == 0 {
			s.backlog = slices.DeleteFunc(s.backlog, func(other *sequence) bool { return other == q })
			if q.ended && !q.running {
				s.release(q)
			}
		}
	}
	s.mu.Unlock()
	for _, other := range out {
		s.gauge.Queued(-1)
		if other == w {
			other.end(Gone(w.ctx))
		} else {
			other.end(deserted())
		}
	}
	s.wake()
}

// deserted returns the error for a request whose sequence ended before it.
func deserted() error {
	return infer.Errorf(infer.Cancelled, "request was cancelled because another request of its sequence ended the sequence")
}

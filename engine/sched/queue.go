package sched

import (
	"slices"
	"time"

	"conch/engine/infer"
)

// queue holds requests by priority. It is not safe for concurrent use.
type queue struct {
	levels       []level
	defaultLevel uint64
	order        [][]*waiter // working memory of inOrder
	// walk is how far a queue of one level was scanned. So a new request is scanned once, and the requests before it
	// are not scanned again.
	walk scan
}

// level is the queue of one priority.
type level struct {
	policy Policy
	fresh  []*waiter // in the order of their arrival
	late   []*waiter // the requests that waited too long, under Delay
	// due is the first deadline of fresh or earlier; zero when no request has a deadline.
	due time.Time
}

func newQueue(rules *Batching) queue {
	policies := rules.Levels
	if len(policies) == 0 {
		policies = []Policy{{}}
	}
	q := queue{levels: make([]level, len(policies)), defaultLevel: rules.DefaultLevel, walk: rules.newScan()}
	for i, p := range policies {
		q.levels[i].policy = p
	}
	return q
}

// levelOf returns the level of a priority; 1 is the highest.
func (q *queue) levelOf(priority uint64) *level {
	if priority == 0 || priority > uint64(len(q.levels)) {
		priority = q.defaultLevel
	}
	return &q.levels[min(max(priority, 1), uint64(len(q.levels)))-1]
}

// push puts a request at the end of its level, unless that is full.
func (q *queue) push(w *waiter) error {
	r := w.call.Request
	l := q.levelOf(r.Priority)
	if limit := l.policy.MaxSize; limit > 0 && len(l.fresh)+len(l.late) >= limit {
		return &infer.Error{
			Code: infer.Unavailable, Message: r.ErrorPrefix() + "Exceeds maximum queue size", Fate: infer.TurnedAway,
		}
	}
	if timeout := l.policy.timeout(r.Timeout); timeout > 0 {
		w.deadline = w.since.Add(timeout)
		if l.due.IsZero() || w.deadline.Before(l.due) {
			l.due = w.deadline
		}
	}
	l.fresh = append(l.fresh, w)
	return nil
}

// inOrder returns all waiting requests in the order in which they run. The result is valid until the queue
// changes.
func (q *queue) inOrder() [][]*waiter {
	q.order = q.order[:0]
	for i := range q.levels {
		q.order = append(q.order, q.levels[i].fresh, q.levels[i].late)
	}
	return q.order
}

// choose returns how many requests run now (Batching.choose).
func (q *queue) choose(now time.Time) int {
	if len(q.levels) > 1 || len(q.levels[0].late) > 0 {
		return q.walk.rules.choose(now, q.inOrder()...)
	}
	if !q.walk.full {
		q.walk.addAll(q.levels[0].fresh[q.walk.count:])
	}
	return q.walk.decide(now)
}

// changed resets the walk, because the scanned requests have changed.
func (q *queue) changed() { q.walk = q.walk.rules.newScan() }

// next returns the next end of a delay or a timeout; zero when there is none. Delays do not count when no instance
// could run the batch.
func (q *queue) next(now time.Time, delay time.Duration) (at time.Time) {
	sooner := func(t time.Time) {
		if t.After(now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	for i := range q.levels {
		l := &q.levels[i]
		sooner(l.due)
		if delay <= 0 {
			continue
		}
		if len(l.fresh) > 0 {
			sooner(l.fresh[0].since.Add(delay))
		}
		for _, w := range l.late {
			sooner(w.since.Add(delay))
		}
	}
	return at
}

// pop removes the first n requests and appends them to taken.
func (q *queue) pop(n int, taken []*waiter) []*waiter {
	q.changed()
	for i := range q.levels {
		for _, list := range [...]*[]*waiter{&q.levels[i].fresh, &q.levels[i].late} {
			part := min(n-len(taken), len(*list))
			taken = append(taken, (*list)[:part]...)
			*list = behead(*list, part)
		}
	}
	return taken
}

// shortList is the longest list that behead copies to the front of its memory, so that the memory is used again.
const shortList = 256

// behead removes the first n requests of a list.
func behead(list []*waiter, n int) []*waiter {
	if len(list) <= shortList {
		return slices.Delete(list, 0, n)
	}
	clear(list[:n])
	return list[n:]
}

// expire finds the requests whose deadline has passed. It moves those that may wait on behind the others, and
// returns those that are refused.
func (q *queue) expire(now time.Time) (rejected []*waiter) {
	for i := range q.levels {
		if l := &q.levels[i]; !l.due.IsZero() && !now.Before(l.due) {
			rejected = append(rejected, l.expire(now)...)
			q.changed()
		}
	}
	return rejected
}

func (l *level) expire(now time.Time) (rejected []*waiter) {
	l.due = time.Time{}
	if !l.policy.Override {
		return l.expireFirst(now)
	}
	l.fresh = slices.DeleteFunc(l.fresh, func(w *waiter) bool {
		switch {
		case w.deadline.IsZero() || now.Before(w.deadline):
			if !w.deadline.IsZero() && (l.due.IsZero() || w.deadline.Before(l.due)) {
				l.due = w.deadline
			}
			return false
		case l.policy.Late == Delay:
			l.late = append(l.late, w)
		default:
			rejected = append(rejected, w)
		}
		return true
	})
	return rejected
}

// expireFirst does what expire does, for a level where all requests have the same timeout. The first
// to arrive is the first to expire.
func (l *level) expireFirst(now time.Time) (rejected []*waiter) {
	n := 0
	for n < len(l.fresh) && !now.Before(l.fresh[n].deadline) {
		n++
	}
	if l.policy.Late == Delay {
		l.late = append(l.late, l.fresh[:n]...)
	} else {
		rejected = slices.Clone(l.fresh[:n])
	}
	l.fresh = behead(l.fresh, n)
	if len(l.fresh) > 0 {
		l.due = l.fresh[0].deadline
	}
	return rejected
}

// remove removes a request. It returns false when the request is no longer in the queue.
func (q *queue) remove(w *waiter) bool {
	for i := range q.levels {
		for _, list := range [...]*[]*waiter{&q.levels[i].fresh, &q.levels[i].late} {
			if at := slices.Index(*list, w); at >= 0 {
				*list = slices.Delete(*list, at, at+1)
				q.changed()
				return true
			}
		}
	}
	return false
}

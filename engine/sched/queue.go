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
	// walk is how far a queue of one level was scanned, so that a request that comes is looked at once, not with all those
	// before it again.
	walk scan
}

// level is the queue of one priority.
type level struct {
	policy Policy
	fresh  []*waiter // in the order of their arrival
	late   []*waiter // those that waited too long, under Delay
	// due is not after the first deadline of fresh; zero when none has one.
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

// levelOf finds the level of a priority; 1 is the highest.
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
			Code: infer.Unavailable, Message: "[request id: " + r.IDForPeople() + "] Exceeds maximum queue size", Fate: infer.TurnedAway,
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

// inOrder returns all that wait, in the order in which they are served. It is good until the queue changes.
func (q *queue) inOrder() [][]*waiter {
	q.order = q.order[:0]
	for i := range q.levels {
		q.order = append(q.order, q.levels[i].fresh, q.levels[i].late)
	}
	return q.order
}

// choose says how many are to run now (Batching.choose).
func (q *queue) choose(now time.Time) int {
	if len(q.levels) > 1 || len(q.levels[0].late) > 0 {
		return q.walk.rules.choose(now, q.inOrder()...)
	}
	if !q.walk.full {
		q.walk.addAll(q.levels[0].fresh[q.walk.count:])
	}
	return q.walk.decide(now)
}

// changed forgets the walk: what was scanned is no longer what is there.
func (q *queue) changed() { q.walk = q.walk.rules.newScan() }

// next is the next moment at which time alone changes what must be done with those that wait; zero when there is none.
// Delays mean nothing where nobody could run them.
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

// pop takes the first n out, behind those already taken.
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

// shortList is up to how long a list is moved to its beginning again when its first leave, so that it stays in its memory.
const shortList = 256

// behead takes the first n out of a list.
func behead(list []*waiter, n int) []*waiter {
	if len(list) <= shortList {
		return slices.Delete(list, 0, n)
	}
	clear(list[:n])
	return list[n:]
}

// expire looks for requests whose deadline has passed. Those that may go on waiting do so behind the others; those
// that may not are given.
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

// expireFirst is expire where all may wait equally long, so that those who came first are due first.
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

// remove takes one request out; false when it is no longer there.
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

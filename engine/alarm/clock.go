// Package alarm calls functions at a moment, exact to a few microseconds where the system allows it. In
// an idle process Go's own timers are up to a millisecond late, because the process then sleeps in whole
// milliseconds. Triton's queue delays are often shorter than that. An Alarm that is not set costs
// nothing.
package alarm

import (
	"container/heap"
	"slices"
	"sync"
	"time"

	"conch/engine/sched"
)

// precise is the longest time for which an Alarm uses the bell. For longer times Go's timers are less
// than one percent late.
const precise = 100 * time.Millisecond

// Clock rings Alarms. The zero value is ready. Close it when none of its Alarms is set any more.
type Clock struct {
	mu    sync.Mutex // guards what follows
	tried bool
	bell  *bell     // nil where there is none
	rings time.Time // what the bell is set to; zero when it is not
	set   alarms
	ended chan struct{} // closed when listen has returned
}

// Alarm calls a function at a moment, once for each Reset.
type Alarm struct {
	clock *Clock
	ring  func()

	// The clock's mutex guards the fields below.

	// late is a Go timer that is set to the same moment, because a busy process may hear the bell later.
	late  *time.Timer
	at    time.Time // zero when it is not set
	place int       // in the clock's heap; -1 when it is not there
}

var _ sched.Timer = (*Alarm)(nil)

// Alarm returns an Alarm that is not set yet. ring must be quick, because other Alarms wait for it.
func (c *Clock) Alarm(ring func()) sched.Timer {
	a := &Alarm{clock: c, ring: ring, place: -1}
	a.late = time.AfterFunc(time.Hour, a.lately)
	a.late.Stop()
	return a
}

// Close closes the bell. Alarms that are set later use Go's timers.
func (c *Clock) Close() {
	c.mu.Lock()
	b := c.bell
	c.bell, c.tried = nil, true
	c.mu.Unlock()
	if b != nil {
		b.close()
		<-c.ended
	}
}

// Reset sets the alarm.
func (a *Alarm) Reset(in time.Duration) { a.clock.put(a, in) }

// Stop cancels the alarm. A call that has begun goes on.
func (a *Alarm) Stop() {
	c := a.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(a)
}

// lately is called by Go's timer.
func (a *Alarm) lately() {
	c := a.clock
	c.mu.Lock()
	due := !a.at.IsZero() && !time.Now().Before(a.at)
	if due {
		c.take(a)
	}
	c.mu.Unlock()
	if due {
		a.ring()
	}
}

func (c *Clock) put(a *Alarm, in time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(a)
	a.at = time.Now().Add(in)
	a.late.Reset(in)
	if in > precise || !c.open() {
		return
	}
	heap.Push(&c.set, a)
	c.wind()
}

// take marks an alarm as not set. c.mu is held.
func (c *Clock) take(a *Alarm) {
	a.at = time.Time{}
	a.late.Stop()
	if a.place >= 0 {
		heap.Remove(&c.set, a.place)
	}
}

// open creates the bell at the first call, and reports whether there is one. c.mu is held.
func (c *Clock) open() bool {
	if !c.tried {
		c.tried = true
		if b, err := newBell(); err == nil { // without a bell, alarms are as late as Go's timers
			c.bell, c.ended = b, make(chan struct{})
			go c.listen(b)
		}
	}
	return c.bell != nil
}

// wind sets the bell to the first alarm, unless the bell rings earlier anyway. c.mu is held.
func (c *Clock) wind() {
	if c.bell == nil || len(c.set) == 0 {
		return
	}
	first := c.set[0].at
	if !c.rings.IsZero() && !first.Before(c.rings) {
		return
	}
	c.rings = first
	c.bell.set(max(time.Until(first), 1))
}

// listen calls the functions of the alarms that are due, each time the bell rings, until the bell is closed.
func (c *Clock) listen(b *bell) {
	defer close(c.ended)
	var due []*Alarm
	for b.wait() {
		due = c.due(due[:0])
		for _, a := range due {
			a.ring()
		}
		clear(due)
	}
}

// due removes the alarms whose time has come from the heap, and adds them to list.
func (c *Clock) due(list []*Alarm) []*Alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rings = time.Time{}
	for now := time.Now(); len(c.set) > 0 && !now.Before(c.set[0].at); {
		list = append(list, c.set[0])
		c.take(c.set[0])
	}
	c.wind()
	return list
}

// alarms is a heap; the earliest alarm is first.
type alarms []*Alarm

func (l alarms) Len() int           { return len(l) }
func (l alarms) Less(i, j int) bool { return l[i].at.Before(l[j].at) }

func (l alarms) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].place, l[j].place = i, j
}

func (l *alarms) Push(a any) {
	a.(*Alarm).place = len(*l)
	*l = append(*l, a.(*Alarm))
}

func (l *alarms) Pop() any {
	last := len(*l) - 1
	a := (*l)[last]
	a.place = -1
	*l = slices.Delete(*l, last, last+1)
	return a
}

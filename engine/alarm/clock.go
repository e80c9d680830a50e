// Package alarm rings at a moment, to a few microseconds where the system can. Go's own timers are up to a millisecond late
// in a process that is idle: it sleeps in whole milliseconds then. Triton's queue delays are often shorter than that. Nothing
// is spent while no Alarm is set.
package alarm

import (
	"container/heap"
	"slices"
	"sync"
	"time"

	"conch/engine/sched"
)

// precise is up to how long an Alarm that is set rings to the microsecond. Further away, Go's timers are less than a percent
// late.
const precise = 100 * time.Millisecond

// Clock rings Alarms. The zero value is ready; it is closed when no Alarm of it is set any more.
type Clock struct {
	mu    sync.Mutex // guards what follows
	tried bool
	bell  *bell     // nil where there is none
	rings time.Time // what the bell is set to; zero when it is not
	set   alarms
	ended chan struct{} // closed when nobody listens to the bell any more
}

// Alarm calls a function at a moment, once each time that it is set.
type Alarm struct {
	clock *Clock
	ring  func()

	// What follows is guarded by the clock's mutex.

	// late is a timer of Go's, set to the same moment: the bell of a process that is busy may be heard later.
	late  *time.Timer
	at    time.Time // zero when it is not set
	place int       // in the clock's heap; -1 when it is not there
}

var _ sched.Timer = (*Alarm)(nil)

// Alarm makes an Alarm that is not set yet. Its function is called by a goroutine that others wait for, and must be quick.
func (c *Clock) Alarm(ring func()) sched.Timer {
	a := &Alarm{clock: c, ring: ring, place: -1}
	a.late = time.AfterFunc(time.Hour, a.lately)
	a.late.Stop()
	return a
}

// Close ends the bell. Alarms that are set later ring by Go's timers.
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

// Stop makes it ring no more, but for a call that has begun.
func (a *Alarm) Stop() {
	c := a.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(a)
}

// lately is what Go's timer rings.
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

// take makes an alarm one that is not set. c.mu is held.
func (c *Clock) take(a *Alarm) {
	a.at = time.Time{}
	a.late.Stop()
	if a.place >= 0 {
		heap.Remove(&c.set, a.place)
	}
}

// open reports whether there is a bell. c.mu is held.
func (c *Clock) open() bool {
	if !c.tried {
		c.tried = true
		if b, err := newBell(); err == nil { // without one, all is as late as Go's timers
			c.bell, c.ended = b, make(chan struct{})
			go c.listen(b)
		}
	}
	return c.bell != nil
}

// wind sets the bell to the first alarm, unless it rings before that. c.mu is held.
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

// listen rings what is due whenever the bell does, until that is closed.
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

// due takes those out whose time has come.
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

// alarms is a heap, by time.
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

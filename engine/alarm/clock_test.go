package alarm_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/engine/alarm"
)

// newClock makes a clock that the test's end closes.
func newClock(t *testing.T) *alarm.Clock {
	c := new(alarm.Clock)
	t.Cleanup(c.Close)
	return c
}

func TestRingsOnceAndNeverEarly(t *testing.T) {
	c := newClock(t)
	rings := make(chan time.Duration, 8)
	moments := []time.Duration{30 * time.Millisecond, 100 * time.Microsecond, 0, 10 * time.Millisecond}
	for _, in := range moments {
		began := time.Now()
		c.Alarm(func() {
			if after := time.Since(began); after < in {
				t.Errorf("what was set to %v rang after %v", in, after)
			}
			rings <- in
		}).Reset(in)
	}
	var rang []time.Duration
	for range moments {
		rang = append(rang, <-rings)
	}
	slices.Sort(rang)
	slices.Sort(moments)
	if !slices.Equal(rang, moments) {
		t.Errorf("%v rang, want each of %v once", rang, moments)
	}
}

// What is set again rings at the new time alone, and what is stopped not at all; a later alarm tells that their time is over.
func TestResetAndStop(t *testing.T) {
	c := newClock(t)
	const later = 50 * time.Millisecond
	for {
		var stopped, again atomic.Int64
		done := make(chan struct{})
		first, second := c.Alarm(func() { stopped.Add(1) }), c.Alarm(func() { again.Add(1) })
		began := time.Now()
		first.Reset(later)
		second.Reset(later)
		second.Reset(later + 5*time.Millisecond)
		second.Reset(2 * time.Millisecond)
		first.Stop()
		if time.Since(began) >= later {
			continue // the machine was busy for so long that the first one was right to ring
		}
		c.Alarm(func() { close(done) }).Reset(2 * later)
		<-done
		if stopped.Load() != 0 || again.Load() != 1 {
			t.Errorf("rang %d times although stopped, %d times instead of once", stopped.Load(), again.Load())
		}
		second.Reset(0)
		second.Stop()
		second.Stop()
		return
	}
}

// An alarm may be set far away, where Go's timers are good enough, and after the clock was closed.
func TestRingsByGosTimers(t *testing.T) {
	c := new(alarm.Clock)
	rang := make(chan string, 2)
	far := c.Alarm(func() { rang <- "far" })
	far.Reset(time.Hour)
	far.Reset(150 * time.Millisecond)
	if got := <-rang; got != "far" {
		t.Error(got)
	}
	c.Close()
	c.Close()
	c.Alarm(func() { rang <- "closed" }).Reset(time.Millisecond)
	if got := <-rang; got != "closed" {
		t.Error(got)
	}
}

// Every alarm rings once for each time that it was set and was due, while many goroutines set alarms.
func TestManyAtOnce(t *testing.T) {
	c := newClock(t)
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			rang := make(chan struct{}, 1)
			a := c.Alarm(func() { rang <- struct{}{} })
			other := c.Alarm(func() {})
			for i := range 200 {
				other.Reset(time.Duration(i%7) * 10 * time.Microsecond)
				a.Reset(time.Duration((g*i)%50) * time.Microsecond)
				<-rang
				if i%3 == 0 {
					other.Stop()
				}
			}
		})
	}
	all.Wait()
}

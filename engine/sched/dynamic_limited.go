package sched

import (
	"slices"
	"time"
)

// ask asks the rate limiter for every instance that could run a batch. It returns the first that may run at once, or
// nil when all must wait until granted is called. d.mu is held.
func (d *Dynamic) ask() *runner {
	for i, r := range d.waiting {
		if r.asking {
			continue
		}
		r.asking = true
		if r.claim.Ask(func() { d.granted(r) }) {
			r.asking = false
			d.waiting = slices.Delete(d.waiting, i, i+1)
			return r
		}
	}
	return nil
}

// granted lets an instance run the requests that wait now.
func (d *Dynamic) granted(r *runner) {
	d.mu.Lock()
	r.asking = false
	at := slices.Index(d.waiting, r)
	if at < 0 { // it was paused meanwhile
		d.mu.Unlock()
		r.claim.Return(false)
		return
	}
	d.waiting = slices.Delete(d.waiting, at, at+1)
	d.idle = append(d.idle, r)
	d.mu.Unlock()
	d.wake()
}

// unused is for the limiter when there is nothing to run: the instances that stop asking, and those that return their
// resources.
type unused struct{ asking, granted []*runner }

// rest returns the unused instances. It returns none when there is something to run. d.mu is held.
func (d *Dynamic) rest(now time.Time) (u unused) {
	if d.queue.choose(now) > 0 {
		return u
	}
	for _, r := range d.waiting {
		if r.asking {
			u.asking = append(u.asking, r)
		}
	}
	d.idle = slices.DeleteFunc(d.idle, func(r *runner) bool {
		if r.claim != nil {
			u.granted = append(u.granted, r)
		}
		return r.claim != nil
	})
	d.waiting = append(d.waiting, u.granted...)
	return u
}

// settle tells the limiter. It returns true when an instance stopped asking, since there may be something to run
// for it again.
func (d *Dynamic) settle(u unused) (again bool) {
	for _, r := range u.granted {
		r.claim.Return(false)
	}
	for _, r := range u.asking {
		if r.claim.Withdraw() {
			d.mu.Lock()
			r.asking = false
			d.mu.Unlock()
			again = true
		}
	}
	return again
}

// queueUp takes an instance back under a limiter. It returns what the caller must do without d.mu. Where there is
// more to run, the instance queues again before another instance gets its resources. d.mu is held.
func (d *Dynamic) queueUp(r *runner) (renew func()) {
	d.waiting = append(d.waiting, r)
	r.asking = d.queue.choose(time.Now()) > 0
	if r.asking {
		return func() { r.claim.Renew(func() { d.granted(r) }) }
	}
	return func() { r.claim.Return(true) }
}

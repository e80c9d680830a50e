package sched

import (
	"slices"
	"time"
)

// ask asks the rate limiter for every instance that could run a batch, and gives the first that may at once; nil when
// none may until granted is called for one. d.mu is held.
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

// granted lets an instance run what there is by now.
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

// unused is what the limiter must know when there is nothing to run: which instances ask no more, and which give back
// what they were granted.
type unused struct{ asking, granted []*runner }

// rest finds what is unused, unless there is something to run. d.mu is held.
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

// settle tells the limiter. It is true when somebody stopped asking, for whom there may be something to run again.
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

// queueUp takes an instance back under a limiter, and returns what must be done without d.mu: where there is more to
// run, the instance takes its place among those who wait before anybody is granted what it held. d.mu is held.
func (d *Dynamic) queueUp(r *runner) (renew func()) {
	d.waiting = append(d.waiting, r)
	r.asking = d.queue.choose(time.Now()) > 0
	if r.asking {
		return func() { r.claim.Renew(func() { d.granted(r) }) }
	}
	return func() { r.claim.Return(true) }
}

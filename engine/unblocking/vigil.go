package unblocking

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// longestVigil is how long a vigil lasts. A short model answers in it, and a client that has its answer sends its next request. A
	// thread that sleeps and is woken again takes about 50 µs longer.
	longestVigil = 300 * time.Microsecond
	// rest is how many vigils are not kept after one that was in vain.
	rest = 32
	// mostInRow is how many are kept in a row. Then the reader sleeps, and Go's scheduler asks the system who else has sent something:
	// where all of Go's processors are busy, nobody else does.
	mostInRow = 32
)

// Vigil is a short time in which a reader looks again and again whether bytes have come, before it sleeps. It is for bytes that are
// expected at once, where the program has nothing else to do. Other threads that want the processor get it meanwhile, and only one
// reader of the program keeps a vigil at a time.
type Vigil struct {
	due   bool      // the next wait begins with a vigil
	since time.Time // of the one that is kept; otherwise zero
	rests int       // vigils that are not kept
	row   int       // those that were prepared in a row
}

// kept tells whether a reader keeps a vigil.
var kept atomic.Bool

// Prepare has the next wait begin with a vigil, and reports whether it does.
func (v *Vigil) Prepare() bool {
	if v.rests > 0 {
		v.rests--
		return false
	}
	if v.row++; v.row > mostInRow {
		v.row = 0
		return false
	}
	v.due = runtime.GOMAXPROCS(0) > 1 // otherwise nothing comes before this thread sleeps
	return v.due
}

// GoesOn reports whether a reader whose socket is empty looks once more. It lets others run before.
func (v *Vigil) GoesOn() bool {
	now := time.Now()
	switch {
	case v.since.IsZero():
		if !v.due || !kept.CompareAndSwap(false, true) {
			return false
		}
		v.since = now
	case now.Sub(v.since) > longestVigil:
		v.End() // the reader sleeps, for how long nobody knows
		v.rests, v.row = rest, 0
		return false
	}
	yield()
	return true
}

// End ends the wait, for whatever reason.
func (v *Vigil) End() {
	if !v.since.IsZero() {
		kept.Store(false)
	}
	v.due, v.since = false, time.Time{}
}

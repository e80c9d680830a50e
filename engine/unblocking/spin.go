package unblocking

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// longestSpin is how long a reader spins at most. A short model answers in that time, and a client that has its answer sends its next
	// request. A thread that sleeps and is woken again takes about 50 µs longer.
	longestSpin = 300 * time.Microsecond
	// skipped is how many spins are left out after one that found nothing.
	skipped = 32
	// mostInRow is how many spins follow each other. Then the reader sleeps, and Go's scheduler asks the system who else has sent
	// something: where all of Go's processors are busy, nobody else does.
	mostInRow = 32
)

// Spin has a reader look again and again whether bytes have come, for a short time, before it sleeps. It is for bytes that are expected
// at once, where the program has nothing else to do. Other threads that want the processor get it meanwhile, and only one reader of the
// program spins at a time.
type Spin struct {
	due   bool      // the next wait begins with a spin
	since time.Time // when the one that goes on began; otherwise zero
	skip  int       // spins that are left out
	row   int       // spins in a row
}

// spinning tells whether a reader spins.
var spinning atomic.Bool

// Prepare has the next wait begin with a spin, and reports whether it does.
func (s *Spin) Prepare() bool {
	if s.skip > 0 {
		s.skip--
		return false
	}
	if s.row++; s.row > mostInRow {
		s.row = 0
		return false
	}
	s.due = runtime.GOMAXPROCS(0) > 1 // otherwise nothing comes before this thread sleeps
	return s.due
}

// Again reports whether a reader that found nothing looks once more. It lets other threads run before.
func (s *Spin) Again() bool {
	now := time.Now()
	switch {
	case s.since.IsZero():
		if !s.due || !spinning.CompareAndSwap(false, true) {
			return false
		}
		s.since = now
	case now.Sub(s.since) > longestSpin:
		s.End() // the reader sleeps, and nobody knows how long
		s.skip, s.row = skipped, 0
		return false
	}
	Yield()
	return true
}

// End ends the wait, because bytes have come or the connection has failed.
func (s *Spin) End() {
	if !s.since.IsZero() {
		spinning.Store(false)
	}
	s.due, s.since = false, time.Time{}
}

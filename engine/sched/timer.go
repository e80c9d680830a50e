package sched

import "time"

// Timer calls a function at a moment, as often as it is set. It is safe for concurrent use.
type Timer interface {
	// Reset sets it to ring after a while. An earlier setting no longer counts.
	Reset(in time.Duration)
	Stop()
}

// Timers creates a Timer that is not set yet. The ring function is fast and never waits. nil creates Go's own timers,
// which may ring a millisecond late in an idle process.
type Timers func(ring func()) Timer

func (t Timers) of(ring func()) Timer {
	if t != nil {
		return t(ring)
	}
	timer := time.AfterFunc(time.Hour, ring)
	timer.Stop()
	return goTimer{timer}
}

// goTimer is a time.Timer.
type goTimer struct{ timer *time.Timer }

func (t goTimer) Reset(in time.Duration) { t.timer.Reset(in) }

func (t goTimer) Stop() { t.timer.Stop() }

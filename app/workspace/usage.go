package workspace

import (
	"time"

	"conch/app/store"
)

// What an engine at rest uses varies all the time, and each figure that the window is sent is computed and drawn each time. So
// the window is told of it once in restSamples samples, where it would get a heartbeat otherwise, and sooner when the memory has
// changed by noteworthy bytes.
const (
	restSamples = 5
	noteworthy  = 8 << 20
)

// usage is what an engine's process has used since the window was told last. The history has each sample.
type usage struct {
	samples      int
	covered, cpu time.Duration
	told         uint64 // memory
	busy         bool   // at the last sample
}

// add takes a sample, and returns the processor time in percent since the window was told, and whether it is told now.
func (u *usage) add(sample store.Sample, perSecond float64) (percent float64, due bool) {
	u.samples++
	u.covered, u.cpu = u.covered+sample.Covered, u.cpu+sample.CPU
	if u.covered > 0 {
		percent = roundPercent(100 * u.cpu.Seconds() / u.covered.Seconds())
	}
	wasBusy := u.busy
	u.busy = perSecond > 0
	moved := max(sample.Memory, u.told) - min(sample.Memory, u.told)
	if due = u.busy || wasBusy || u.samples >= restSamples || moved >= noteworthy; due {
		*u = usage{told: sample.Memory, busy: u.busy}
	}
	return percent, due
}

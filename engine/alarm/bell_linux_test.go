package alarm

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// In an idle process Go's timers ring after 1.0 to 1.2 ms whatever they are set to. Of ours some ring well before that,
// also where other programs have the processors; and when none is set, nothing will wake the process.
func TestPreciseAndThenAtRest(t *testing.T) {
	var c Clock
	defer c.Close()
	rang := make(chan time.Time)
	a := c.Alarm(func() { rang <- time.Now() })
	var took []time.Duration
	for range 100 {
		began := time.Now()
		a.Reset(100 * time.Microsecond)
		took = append(took, (<-rang).Sub(began))
	}
	if slices.Sort(took); took[4] > 600*time.Microsecond {
		t.Errorf("five of a hundred rang within %v, want about 100 µs; half within %v", took[4], took[50])
	}
	var left unix.ItimerSpec
	if err := unix.TimerfdGettime(c.bell.number, &left); err != nil || left.Value != (unix.Timespec{}) {
		t.Errorf("the bell is still set: %v, %v", left, err)
	}
}

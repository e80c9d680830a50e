package watch

import (
	"testing"
	"time"
)

// Thousands of files are looked at less often, so that a repository at rest costs little, and a slow disk has time to breathe.
func TestLooksAreSparing(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		50 * time.Microsecond: time.Second,
		10 * time.Millisecond: time.Second,
		30 * time.Millisecond: 3 * time.Second,
		time.Second:           5 * time.Second,
		time.Minute:           3 * time.Minute,
	} {
		if got := untilNext(time.Second, took); got != want {
			t.Errorf("after a look of %v: %v, want %v", took, got, want)
		}
	}
}

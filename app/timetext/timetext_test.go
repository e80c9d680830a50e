package timetext_test

import (
	"testing"
	"time"

	"conch/app/timetext"
)

// The window's test has the same times (frontend/src/lib/format.test.ts).
func TestOf(t *testing.T) {
	for took, want := range map[time.Duration]string{
		0:                         "0 ms",
		320:                       "320 ns",
		2143:                      "2.14 µs",
		43100:                     "43.1 µs",
		430 * time.Microsecond:    "430 µs",
		999600:                    "1.00 ms",
		1200 * time.Microsecond:   "1.20 ms",
		9996 * time.Microsecond:   "10.0 ms",
		38 * time.Millisecond:     "38.0 ms",
		999700 * time.Microsecond: "1.00 s",
		1234 * time.Millisecond:   "1.23 s",
		59940 * time.Millisecond:  "59.9 s",
		59990 * time.Millisecond:  "1 min 0 s",
		65 * time.Second:          "1 min 5 s",
		119700 * time.Millisecond: "2 min 0 s",
	} {
		if got := timetext.Of(took); got != want {
			t.Errorf("%v is %q, want %q", took, got, want)
		}
	}
}

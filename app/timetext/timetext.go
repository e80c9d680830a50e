// Package timetext writes measured times for people. The window writes them in the same way (frontend/src/lib/format.ts).
package timetext

import (
	"fmt"
	"math"
	"time"
)

// Of returns a time in the unit that fits it, with three significant digits: "430 µs", "38.0 ms", "3.20 s", "1 min 5 s".
func Of(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 ms"
	case d >= 59950*time.Millisecond:
		seconds := int(math.Round(d.Seconds()))
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	case d >= 999500*time.Microsecond: // 999.6 ms are 1.00 s
		return in(d, time.Second, "s")
	case d >= 999500*time.Nanosecond:
		return in(d, time.Millisecond, "ms")
	case d >= time.Microsecond:
		return in(d, time.Microsecond, "µs")
	}
	return fmt.Sprintf("%d ns", d)
}

func in(d, unit time.Duration, name string) string {
	value := float64(d) / float64(unit)
	decimals := 2
	if value >= 99.95 {
		decimals = 0
	} else if value >= 9.995 {
		decimals = 1
	}
	return fmt.Sprintf("%.*f %s", decimals, value, name)
}

// Package period writes a limit or a delay for people: "1 minute", where Go writes 1m0s. Measured times are app/timetext's.
package period

import (
	"fmt"
	"time"
)

// Text returns a duration in its largest unit of which it is a whole number: "2 hours", "90 seconds". Others are as Go writes them.
func Text(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		switch {
		case d == unit.of:
			return "1 " + unit.name
		case d > 0 && d%unit.of == 0:
			return fmt.Sprintf("%d %ss", d/unit.of, unit.name)
		}
	}
	return d.String()
}

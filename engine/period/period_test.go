package period_test

import (
	"testing"
	"time"

	"conch/engine/period"
)

func TestText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second: "1 second", 10 * time.Second: "10 seconds", time.Minute: "1 minute", 90 * time.Second: "90 seconds",
		5 * time.Minute: "5 minutes", time.Hour: "1 hour", 50 * time.Millisecond: "50ms", 0: "0s",
	} {
		if got := period.Text(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

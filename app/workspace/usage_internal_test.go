package workspace

import (
	"testing"
	"time"

	"conch/app/store"
)

// An engine at rest whose figures change with each second is told of where a heartbeat would be sent.
func TestUsageAtRestIsToldSeldom(t *testing.T) {
	var u usage
	var told []float64
	for second := range time.Duration(21) {
		sample := store.Sample{Memory: 50<<20 + uint64(second%2)<<20, Covered: time.Second, CPU: (2 + 40*(second%2)) * time.Millisecond}
		if percent, due := u.add(sample, 0); due {
			told = append(told, percent)
		}
	}
	if len(told) != 5 { // the first, and one for each five
		t.Errorf("told %d times in 21 seconds: %v", len(told), told)
	}
	if last := told[len(told)-1]; last < 1 || last > 3 {
		t.Errorf("the processor time is not that of all five seconds: %v %%", last)
	}
}

func TestUsageIsToldAtOnce(t *testing.T) {
	rest := store.Sample{Memory: 50 << 20, Covered: time.Second}
	loaded := rest
	loaded.Memory += 100 << 20
	for name, second := range map[string]struct {
		sample    store.Sample
		perSecond float64
		due       bool
	}{
		"rest":                {rest, 0, false},
		"a request":           {rest, 0.2, true},
		"a model that loaded": {loaded, 0, true},
	} {
		var u usage
		if _, due := u.add(rest, 0); !due {
			t.Errorf("%s: nothing is told at first", name)
		}
		if _, due := u.add(second.sample, second.perSecond); due != second.due {
			t.Errorf("%s: told %v", name, due)
		}
		if _, due := u.add(second.sample, 0); due != (second.perSecond > 0) {
			t.Errorf("after %s: told %v", name, due)
		}
	}
}

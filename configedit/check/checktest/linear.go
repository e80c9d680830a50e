package checktest

import (
	"testing"
	"time"
)

// Linear fails when eight times as much of something takes far more than eight times as long; prepare makes the work for a count. What takes
// less than a few seconds passes: a busy machine and the race detector take their share, and quadratic work took 5 to 14 s. A machine that is busy
// for a moment gets three tries.
func Linear(t testing.TB, count int, prepare func(count int) func()) {
	t.Helper()
	const times, bound, worthwhile = 8, 28, 3 * time.Second
	var short, long time.Duration
	for range 3 {
		if long = took(prepare(times * count)); long <= worthwhile {
			return
		}
		if short = took(prepare(count)); long <= bound*short {
			return
		}
	}
	t.Errorf("%d took %v, %d took %v", count, short, times*count, long)
}

func took(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

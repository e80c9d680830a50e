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
		short, long = fastest(prepare(count)), fastest(prepare(times*count))
		if long <= worthwhile || long <= bound*short {
			return
		}
	}
	t.Errorf("%d took %v, %d took %v", count, short, times*count, long)
}

func fastest(work func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		work()
		best = min(best, time.Since(start))
		if best > 2*time.Second {
			break
		}
	}
	return best
}

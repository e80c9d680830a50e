package onnx

import (
	"testing"
	"testing/synctest"
	"time"
)

// A model rests when nothing has run for a while, and once: no timer goes on while nothing runs.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		r := rest{calm: func() { calls++ }}
		for range 10 { // it is busy
			r.ran()
			time.Sleep(restAfter - time.Millisecond)
		}
		if calls != 0 {
			t.Errorf("%d calls while runs came in", calls)
		}
		for range 2 {
			time.Sleep(2 * restAfter)
			synctest.Wait()
		}
		if calls != 1 {
			t.Errorf("%d calls after the last run, want 1", calls)
		}
		r.ran()
		time.Sleep(2 * restAfter)
		synctest.Wait()
		if calls != 2 {
			t.Errorf("%d calls after a run that came later, want 2", calls)
		}
	})
}

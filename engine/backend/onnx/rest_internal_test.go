package onnx

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A model rests when nothing has run for a while, and once: no timer goes on while nothing runs.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		r := rest{calm: func() { calls.Add(1) }}
		for range 10 { // it is busy
			r.ran()
			time.Sleep(restAfter - time.Millisecond)
		}
		if calls.Load() != 0 {
			t.Errorf("%d calls while runs came in", calls.Load())
		}
		for range 2 {
			time.Sleep(2 * restAfter)
			synctest.Wait()
		}
		if calls.Load() != 1 {
			t.Errorf("%d calls after the last run, want 1", calls.Load())
		}
		r.ran()
		time.Sleep(2 * restAfter)
		synctest.Wait()
		if calls.Load() != 2 {
			t.Errorf("%d calls after a run that came later, want 2", calls.Load())
		}
	})
}

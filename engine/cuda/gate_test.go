package cuda

import (
	"testing"
	"testing/synctest"
	"time"
)

// Who wants to be alone waits for those who use CUDA, keeps new ones out meanwhile, and gives up after a while.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		g.enter()
		g.enter()
		if began := time.Now(); g.alone(time.Second) || time.Since(began) != time.Second {
			t.Error("it was alone beside others, or did not wait as long as it should")
		}
		g.leave()
		time.Sleep(leastPause)
		entered := false
		go func() {
			time.Sleep(100 * time.Millisecond)
			go func() {
				g.enter()
				entered = true
			}()
			if synctest.Wait(); entered {
				t.Error("a new user does not wait")
			}
			g.leave()
		}()
		if !g.alone(time.Second) {
			t.Fatal("it was not alone although the others left")
		}
		if g.alone(time.Second) {
			t.Error("two are alone")
		}
		if synctest.Wait(); entered {
			t.Error("a user came in while another was alone")
		}
		g.together()
		if synctest.Wait(); !entered {
			t.Error("nobody comes in afterwards")
		}
		g.leave()
		if !g.alone(0) {
			t.Error("it waits for nobody")
		}
		g.together()
	})
}

// After a vain try nobody keeps others waiting for a while, which grows up to a minute and begins again after a good one. Beside a long use
// nobody does at all.
func TestPausesOfTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		try := func(want bool, took time.Duration) {
			t.Helper()
			began := time.Now()
			if got := g.alone(time.Millisecond); got != want || time.Since(began) != took {
				t.Errorf("alone: %v after %v", got, time.Since(began))
			}
		}
		g.enter()
		for _, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			try(false, time.Millisecond)
			time.Sleep(pause*time.Second - time.Nanosecond)
			if try(false, 0); !g.crowded() {
				t.Error("it is not crowded in a pause")
			}
			if time.Sleep(time.Nanosecond); g.crowded() {
				t.Error("it is crowded after a pause")
			}
		}
		g.leave()
		try(true, 0)
		g.together()
		g.enter()
		try(false, time.Millisecond)
		time.Sleep(time.Second)
		g.enterLong()
		g.leave()
		try(false, 0)
		g.leaveLong()
		try(true, 0)
		g.together()
	})
}

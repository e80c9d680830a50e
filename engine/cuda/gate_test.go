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

package sched_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/sched"
)

// A paused instance gets no requests. Waiting requests are answered when no other instance is left.
// After Resume, requests run again.
func TestPauseAndResume(t *testing.T) {
	why := errors.New("it died")
	for _, name := range []string{"direct", "dynamic", "sequence"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, a := &worker{takes: time.Second}, newAnswers()
				h := schedulers(w)[name]
				p := h.(sched.Pauser)
				var all sync.WaitGroup
				for _, id := range []string{"a", "b"} { // a runs
					all.Go(func() { a.infer(t.Context(), h, begins(id)) })
					synctest.Wait()
				}
				p.Pause(w, why)
				synctest.Wait()
				a.infer(t.Context(), h, begins("c"))
				if !errors.Is(a.err("b"), why) || !errors.Is(a.err("c"), why) {
					t.Errorf("waiting: %v, coming: %v", a.err("b"), a.err("c"))
				}
				all.Wait()
				p.Resume(w)
				a.infer(t.Context(), h, begins("d"))
				if a.err("a") != nil || a.err("d") != nil {
					t.Errorf("running: %v, afterwards: %v", a.err("a"), a.err("d"))
				}
				wantBatches(t, w, []string{"a"}, []string{"d"})
			})
		})
	}
}

// An iterative request whose instance is paused during a run does not run again, and is answered.
func TestPauseDuringARunOfAnIterativeRequest(t *testing.T) {
	why := errors.New("it died")
	for name, change := range map[string]func(*sched.Sequencing){"direct": func(s *sched.Sequencing) { s.Oldest = nil }, "oldest": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, a := &iterating{left: map[string]int{}}, newAnswers()
				s := iterative(w, &chained{}, change)
				var all sync.WaitGroup
				all.Go(func() { a.infer(t.Context(), s, times("a", 3)) })
				synctest.Wait()
				s.Pause(w, why)
				all.Wait()
				s.Resume(w)
				a.infer(t.Context(), s, times("b", 2))
				if !errors.Is(a.err("a"), why) || a.err("b") != nil {
					t.Errorf("running: %v, afterwards: %v", a.err("a"), a.err("b"))
				}
				wantBatches(t, &w.worker, []string{"a"}, []string{"b"}, []string{"b"})
			})
		})
	}
}

// A paused instance keeps no resources of the rate limiter, and asks for none.
func TestPauseUnderRateLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter(nil)
		first, second := licensed(t, l, needs("R", 1)), licensed(t, l, needs("R", 1))
		h, other := single(first), single(second)
		var all sync.WaitGroup
		start(t, &all, h, request("a", 1))
		all.Go(func() { _ = h.Infer(t.Context(), request("b", 1), ignore) }) // waits for the instance
		synctest.Wait()
		h.Pause(first, errors.New("it died"))
		all.Wait()
		if err := other.Infer(t.Context(), request("c", 1), ignore); err != nil {
			t.Error(err)
		}
		h.Resume(first)
		if err := h.Infer(t.Context(), request("d", 1), ignore); err != nil {
			t.Error(err)
		}
	})
}

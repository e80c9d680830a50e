package sched_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"conch/engine/infer"
	"conch/engine/sched"
)

// hanging is an instance whose executions do not return until the test lets them.
type hanging struct{ back chan struct{} }

func (w *hanging) Execute(_ context.Context, calls []*sched.Call) {
	<-w.back
	for _, c := range calls {
		c.Respond(&infer.Response{Final: true})
	}
}

// When an instance hangs, only the request whose goroutine is in it hangs. Other instances go on. When none is left,
// no request waits for one.
func TestSequencesGiveUpAnInstance(t *testing.T) {
	for name, oldest := range map[string]*sched.Batching{"direct": {}, "oldest": oldestOf(4)} {
		if name == "direct" {
			oldest = nil
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hung, fine, lost, a, g := &hanging{make(chan struct{})}, &worker{}, errors.New("it is lost"), newAnswers(), &gauge{}
				s := sched.NewSequence([]sched.Executor{hung, fine}, sequencing(2, oldest), &chained{}, g)
				var all sync.WaitGroup
				for _, id := range []string{"a1(", "b1(", "a2", "c1(", "b2"} { // a and c on the first, b on the second
					all.Go(func() { a.infer(t.Context(), s, of(id)) })
					synctest.Wait()
				}
				s.GiveUp(hung, lost)
				synctest.Wait()
				if !errors.Is(a.err("a2"), lost) || !errors.Is(a.err("c1"), lost) || a.err("b1") != nil || a.err("b2") != nil {
					t.Errorf("errors = %v", a.errs)
				}
				a.infer(t.Context(), s, of("d1()"))
				if a.err("d1") != nil || g.now.Load() != 0 {
					t.Errorf("on the other instance: %v, %d queued", a.err("d1"), g.now.Load())
				}
				close(hung.back)
				all.Wait()
				if a.err("a1") != nil {
					t.Errorf("the one that came back after all: %v", a.err("a1"))
				}
				a.infer(t.Context(), s, of("e1()"))
				if a.err("e1") != nil {
					t.Error(a.err("e1"))
				}
				s.Stop()
			})
		})
	}
}

func TestSequencesGiveUpTheLastInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung, lost, a, g := &hanging{make(chan struct{})}, errors.New("it is lost"), newAnswers(), &gauge{}
		s := sched.NewSequence([]sched.Executor{hung}, sequencing(1, nil), &chained{}, g)
		var all sync.WaitGroup
		for _, id := range []string{"a1(", "b1(", "b2"} {
			all.Go(func() { a.infer(t.Context(), s, of(id)) })
			synctest.Wait()
		}
		s.GiveUp(hung, lost)
		synctest.Wait()
		a.infer(t.Context(), s, of("c1("))
		for _, id := range []string{"b1", "b2", "c1"} {
			if !errors.Is(a.err(id), lost) {
				t.Errorf("%s: %v", id, a.err(id))
			}
		}
		close(hung.back)
		all.Wait()
		if g.now.Load() != 0 {
			t.Errorf("%d are still queued", g.now.Load())
		}
		s.Stop()
	})
}

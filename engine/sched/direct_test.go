package sched_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

func TestDirectServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, a := &worker{takes: time.Second}, &gauge{}, newAnswers()
		d := sched.NewDirect([]sched.Executor{w}, g)
		var all sync.WaitGroup
		for _, id := range []string{"a", "b", "c", "d"} {
			all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
			synctest.Wait()
		}
		all.Wait()
		noErrors(t, a)
		if want := []string{"a", "b", "c", "d"}; !slices.Equal(a.order, want) {
			t.Errorf("answered in order %v, want %v", a.order, want)
		}
		if got := a.queued["d"]; got != 3*time.Second {
			t.Errorf("d waited %v, want 3s", got)
		}
		if g.high.Load() != 3 || g.now.Load() != 0 {
			t.Errorf("queue was %d at most and is %d now, want 3 and 0", g.high.Load(), g.now.Load())
		}
	})
}

func TestDirectUsesAllInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		d := sched.NewDirect([]sched.Executor{&worker{takes: time.Second}, &worker{takes: time.Second}}, &gauge{})
		began := time.Now()
		var all sync.WaitGroup
		for _, id := range []string{"a", "b", "c", "d"} {
			all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
		}
		all.Wait()
		noErrors(t, a)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("four requests on two instances took %v, want 2s", took)
		}
	})
}

func TestDirectCancelWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, a := &worker{takes: time.Second}, &gauge{}, newAnswers()
		d := sched.NewDirect([]sched.Executor{w}, g)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { a.infer(t.Context(), d, request("a", 1)) })
		synctest.Wait()
		all.Go(func() { a.infer(ctx, d, request("b", 1)) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if err := a.err("b"); infer.CodeOf(err) != infer.Cancelled {
			t.Errorf("b ended with %v at once, want it cancelled", err)
		}
		all.Wait()
		if len(w.batches) != 1 || g.now.Load() != 0 {
			t.Errorf("%d executions and %d queued, want 1 and 0", len(w.batches), g.now.Load())
		}
	})
}

func TestFailureReachesTheClientAndFreesTheInstance(t *testing.T) {
	broken := infer.Errorf(infer.Internal, "boom")
	w := &worker{fail: broken}
	d := sched.NewDirect([]sched.Executor{w}, &gauge{})
	for range 2 {
		if err := d.Infer(t.Context(), request("a", 1), nil); !errors.Is(err, broken) {
			t.Errorf("error = %v, want %v", err, broken)
		}
	}
}

func TestSinkMayTakeTheMemoryOver(t *testing.T) {
	released := 0
	executor := executorFunc(func(calls []*sched.Call) {
		calls[0].Respond(&infer.Response{Final: true, Release: func() { released++ }})
	})
	d := sched.NewDirect([]sched.Executor{executor}, &gauge{})
	var kept func()
	_ = d.Infer(t.Context(), request("a", 1), func(r *infer.Response) error {
		kept, r.Release = r.Release, nil
		return nil
	})
	if released != 0 {
		t.Error("memory was released although the sink took it over")
	}
	kept()
	_ = d.Infer(t.Context(), request("b", 1), func(*infer.Response) error { return errors.New("client is gone") })
	if released != 2 {
		t.Errorf("memory was released %d times, want 2", released)
	}
}

type executorFunc func(calls []*sched.Call)

func (f executorFunc) Execute(_ context.Context, calls []*sched.Call) { f(calls) }

func TestBackendThatDoesNotAnswer(t *testing.T) {
	d := sched.NewDirect([]sched.Executor{executorFunc(func([]*sched.Call) {})}, &gauge{})
	if err := d.Infer(t.Context(), request("a", 1), nil); infer.CodeOf(err) != infer.Internal {
		t.Errorf("error = %v, want an internal one", err)
	}
}

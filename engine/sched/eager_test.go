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

// eagerWorker takes calls while one runs.
type eagerWorker struct {
	worker
	ahead int
	turn  chan struct{}

	inside sync.Mutex // guards what follows
	now    int
	most   int
}

func newEagerWorker(ahead int) *eagerWorker {
	return &eagerWorker{worker: worker{takes: time.Second}, ahead: ahead, turn: make(chan struct{}, 1)}
}

func (w *eagerWorker) Ahead() int { return w.ahead }

func (w *eagerWorker) Execute(ctx context.Context, calls []*sched.Call) {
	w.entered(1)
	defer w.entered(-1)
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		calls[0].Fail(sched.Gone(ctx))
		return
	}
	for _, c := range calls {
		c.Began(time.Now())
	}
	w.worker.Execute(ctx, calls)
	<-w.turn
}

func (w *eagerWorker) entered(delta int) {
	w.inside.Lock()
	defer w.inside.Unlock()
	w.now += delta
	w.most = max(w.most, w.now)
}

// An eager instance gets calls ahead, as many as it takes. They run in order, and wait until they begin.
func TestDirectSendsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, a := newEagerWorker(2), &gauge{}, newAnswers()
		d := sched.NewDirect([]sched.Executor{w}, g)
		var all sync.WaitGroup
		ids := []string{"a", "b", "c", "d", "e"}
		for _, id := range ids {
			all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
			synctest.Wait()
		}
		if n := g.now.Load(); n != 4 {
			t.Errorf("%d wait, want 4", n)
		}
		all.Wait()
		noErrors(t, a)
		if !slices.Equal(a.order, ids) || w.most != 3 {
			t.Errorf("answered in order %v; %d were inside", a.order, w.most)
		}
		for i, id := range ids {
			if got := a.queued[id]; got != time.Duration(i)*time.Second {
				t.Errorf("%s waited %v, want %ds", id, got, i)
			}
		}
		if g.now.Load() != 0 {
			t.Errorf("%d wait at the end", g.now.Load())
		}
	})
}

// A call whose client leaves while it is ahead ends at once, and its place goes to another.
func TestDirectCancelWhileAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, a := newEagerWorker(1), &gauge{}, newAnswers()
		d := sched.NewDirect([]sched.Executor{w}, g)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { a.infer(t.Context(), d, request("a", 1)) })
		synctest.Wait()
		all.Go(func() { a.infer(ctx, d, request("b", 1)) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if err := a.err("b"); infer.CodeOf(err) != infer.Cancelled || g.now.Load() != 0 {
			t.Errorf("b ended with %v, %d wait", err, g.now.Load())
		}
		all.Go(func() { a.infer(t.Context(), d, request("c", 1)) })
		all.Wait()
		if a.err("c") != nil || len(w.batches) != 2 {
			t.Errorf("c: %v; executions: %v", a.err("c"), w.batches)
		}
	})
}

// When the only instance is out, what waits in front of it is answered; what it has taken is the executor's affair.
func TestDirectPausesAnEagerInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a := newEagerWorker(1), newAnswers()
		d := sched.NewDirect([]sched.Executor{w}, &gauge{})
		var all sync.WaitGroup
		for _, id := range []string{"a", "b", "c"} {
			all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
			synctest.Wait()
		}
		died := errors.New("died")
		d.Pause(w, died)
		synctest.Wait()
		if err := a.err("c"); !errors.Is(err, died) {
			t.Errorf("c: %v", err)
		}
		all.Wait()
		if err := errors.Join(a.err("a"), a.err("b")); err != nil {
			t.Error(err)
		}
		if err := d.Infer(t.Context(), request("d", 1), nil); !errors.Is(err, died) {
			t.Errorf("d: %v", err)
		}
		d.Resume(w)
		for _, id := range []string{"e", "f"} {
			all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
		}
		all.Wait()
		if err := errors.Join(a.err("e"), a.err("f")); err != nil || w.most != 2 {
			t.Errorf("%v; %d were inside", err, w.most)
		}
	})
}

// lateWorker takes calls ahead, and begins none before a second has passed.
type lateWorker struct{ worker }

func (w *lateWorker) Ahead() int { return 2 }

func (w *lateWorker) Execute(ctx context.Context, calls []*sched.Call) {
	time.Sleep(time.Second)
	for _, c := range calls {
		if c.Request.ID != "never" {
			c.Began(time.Now())
		}
	}
	w.worker.Execute(ctx, calls)
}

// With every scheduler, a call waits until its executor begins it.
func TestCallsWaitUntilTheyBegin(t *testing.T) {
	for name, with := range map[string]func(w, other sched.Executor, g sched.Gauge) infer.Handler{
		"direct": func(w, _ sched.Executor, g sched.Gauge) infer.Handler { return sched.NewDirect([]sched.Executor{w}, g) },
		"instances": func(w, o sched.Executor, g sched.Gauge) infer.Handler {
			return sched.NewDirect([]sched.Executor{w, o}, g)
		},
		"dynamic": func(w, _ sched.Executor, g sched.Gauge) infer.Handler {
			return sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 4}, g)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, g, a := &lateWorker{worker{takes: time.Second}}, &gauge{}, newAnswers()
				h := with(w, &lateWorker{}, g)
				var all sync.WaitGroup
				for _, id := range []string{"a", "never"} {
					all.Go(func() { a.infer(t.Context(), h, request(id, 1)) })
					synctest.Wait()
					if n := g.now.Load(); n != 1 {
						t.Errorf("%s: %d wait before it has begun, want 1", id, n)
					}
					time.Sleep(1500 * time.Millisecond)
					if n := g.now.Load(); id == "a" && n != 0 {
						t.Errorf("%d wait when it has begun", n)
					}
					all.Wait()
				}
				noErrors(t, a)
				if got := a.queued["a"]; got != time.Second {
					t.Errorf("it waited %v, want 1s", got)
				}
				if n := g.now.Load(); n != 0 {
					t.Errorf("%d wait at the end", n)
				}
			})
		})
	}
}

// A call of a sequence waits until its executor begins it.
func TestCallsOfSequencesWaitUntilTheyBegin(t *testing.T) {
	for name, oldest := range map[string]*sched.Batching{"direct": nil, "oldest": oldestOf(4)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, a := &lateWorker{worker{takes: time.Second}}, newAnswers()
				s := sched.NewSequence([]sched.Executor{w}, sequencing(1, oldest), &chained{}, &gauge{})
				a.infer(t.Context(), s, of("a1()"))
				noErrors(t, a)
				if got := a.queued["a1"]; got != time.Second {
					t.Errorf("it waited %v, want 1s", got)
				}
			})
		})
	}
}

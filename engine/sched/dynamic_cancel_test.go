package sched_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// patient is an instance that runs for a second, or until its context ends.
type patient struct{ ran []time.Duration }

func (p *patient) Execute(ctx context.Context, calls []*sched.Call) {
	began := time.Now()
	var err error
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		err = infer.Errorf(infer.Cancelled, "stopped")
	}
	p.ran = append(p.ran, time.Since(began))
	for _, c := range calls {
		if err != nil {
			c.Fail(err)
		} else {
			c.Respond(&infer.Response{Final: true})
		}
	}
}

// An execution goes on while one of its clients wants the answer, whether it is the lead's or another. It ends when
// the last client has left.
func TestDynamicCancelWhileRunning(t *testing.T) {
	for leaving, want := range map[string]time.Duration{
		"[]": time.Second, "[0 1]": time.Second, "[1 2]": time.Second, "[0 2]": time.Second,
		"[0 1 2]": 30 * time.Millisecond, "[2 1 0]": 30 * time.Millisecond, "[1 0 2]": 30 * time.Millisecond,
	} {
		t.Run(leaving, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, a := &patient{}, newAnswers()
				d := sched.NewDynamic([]sched.Executor{p}, sched.Batching{MaxBatch: 3, MaxDelay: time.Second}, &gauge{})
				var cancels []context.CancelFunc
				var all sync.WaitGroup
				for i := range 3 {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					cancels = append(cancels, cancel)
					all.Go(func() { a.infer(ctx, d, request(fmt.Sprint(i), 1)) })
					synctest.Wait()
				}
				for _, c := range leaving {
					if c >= '0' && c <= '2' {
						time.Sleep(10 * time.Millisecond)
						cancels[c-'0']()
						synctest.Wait()
					}
				}
				all.Wait()
				if len(p.ran) != 1 || p.ran[0] != want {
					t.Errorf("ran for %v, want %v", p.ran, want)
				}
			})
		})
	}
}

// formed is a gauge that calls then when a batch of two has been formed, before its lead knows.
type formed struct {
	gauge
	then func()
}

func (f *formed) Queued(delta int64) {
	f.gauge.Queued(delta)
	if delta == -2 {
		f.then()
	}
}

// A client may leave just when its waiting request becomes the lead of a batch. The other request runs on.
func TestDynamicCancelOfAComingLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, a := &patient{}, newAnswers()
		leads, leaves := context.WithCancel(t.Context())
		follows, cancel := context.WithCancel(t.Context()) // this client can leave, and does not
		defer cancel()
		g := &formed{then: func() {
			leaves()
			synctest.Wait() // the lead's goroutine has heard it
		}}
		d := sched.NewDynamic([]sched.Executor{p}, sched.Batching{MaxBatch: 2}, g)
		var all sync.WaitGroup
		all.Go(func() { a.infer(t.Context(), d, request("first", 2)) })
		synctest.Wait()
		all.Go(func() { a.infer(leads, d, request("a", 1)) })
		synctest.Wait()
		all.Go(func() { a.infer(follows, d, request("b", 1)) })
		all.Wait()
		if a.err("b") != nil || len(p.ran) != 2 || p.ran[1] != time.Second {
			t.Errorf("the other: %v; ran for %v", a.err("b"), p.ran)
		}
	})
}

// A request that runs alone runs under its own context.
func TestCancelWhileRunningAlone(t *testing.T) {
	for name, scheduler := range map[string]func(sched.Executor) infer.Handler{
		"direct":  func(e sched.Executor) infer.Handler { return sched.NewDirect([]sched.Executor{e}, &gauge{}) },
		"dynamic": func(e sched.Executor) infer.Handler { return single(e) },
	} {
		synctest.Test(t, func(t *testing.T) {
			p, a := &patient{}, newAnswers()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			a.infer(ctx, scheduler(p), request("a", 1))
			if infer.CodeOf(a.err("a")) != infer.Cancelled || p.ran[0] != 100*time.Millisecond {
				t.Errorf("%s: %v after %v", name, a.err("a"), p.ran)
			}
		})
	}
}

// A request that waits for others may be cancelled. The requests that stay keep their own delay.
func TestDynamicCancelWhileWaitingForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a := &worker{}, newAnswers()
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 8, MaxDelay: delay}, &gauge{})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() { a.infer(ctx, d, request("goes", 1)) })
		time.Sleep(50 * time.Millisecond)
		all.Go(func() { a.infer(t.Context(), d, request("stays", 1)) })
		all.Wait()
		if infer.CodeOf(a.err("goes")) != infer.Cancelled || a.err("stays") != nil {
			t.Errorf("errors = %v", a.errs)
		}
		if took := time.Since(began); took != 50*time.Millisecond+delay {
			t.Errorf("the one that stays ran after %v", took)
		}
		wantBatches(t, w, []string{"stays"})
	})
}

// A client may give up an answer that waits for those before it. The answers behind it still wait for
// those before it.
func TestPreserveOrderingCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := &worker{takes: time.Second}, &worker{takes: 100 * time.Millisecond}
		d := sched.NewDynamic([]sched.Executor{quick, slow}, sched.Batching{MaxBatch: 1, Ordered: true}, &gauge{})
		a, ended := newAnswers(), map[string]time.Duration{}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		var mu sync.Mutex // guards ended
		var all sync.WaitGroup
		for id, ctx := range map[string]context.Context{"1 slow": t.Context(), "2 cancelled": ctx, "3 behind": t.Context()} {
			all.Go(func() {
				time.Sleep(time.Duration(id[0]-'0') * time.Millisecond)
				a.infer(ctx, d, request(id, 1))
				mu.Lock()
				defer mu.Unlock()
				ended[id] = time.Since(began).Truncate(100 * time.Millisecond)
			})
		}
		all.Wait()
		want := map[string]time.Duration{"1 slow": time.Second, "2 cancelled": 300 * time.Millisecond, "3 behind": time.Second}
		if fmt.Sprint(ended) != fmt.Sprint(want) || infer.CodeOf(a.err("2 cancelled")) != infer.Cancelled {
			t.Errorf("ended after %v, want %v; errors %v", ended, want, a.errs)
		}
	})
}

// streamer answers with three responses, a tenth of its time apart.
type streamer struct{ takes time.Duration }

func (s *streamer) Execute(_ context.Context, calls []*sched.Call) {
	for i := range 3 {
		time.Sleep(s.takes / 3)
		for _, c := range calls {
			c.Respond(&infer.Response{ID: c.Request.ID, Outputs: []tensor.Tensor{{Name: fmt.Sprint(i)}}, Final: i == 2})
		}
	}
}

// The responses of a decoupled model keep the order of the requests too: none of the second request's comes before
// the last of the first request's.
func TestPreserveOrderingOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := sched.NewDynamic([]sched.Executor{&streamer{300 * time.Millisecond}, &streamer{3 * time.Second}}, sched.Batching{MaxBatch: 1, Ordered: true}, &gauge{})
		var mu sync.Mutex // guards got
		var got []string
		var all sync.WaitGroup
		for _, id := range []string{"a", "b"} {
			all.Go(func() {
				err := d.Infer(t.Context(), request(id, 1), func(r *infer.Response) error {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, r.ID+r.Outputs[0].Name)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if fmt.Sprint(got) != "[a0 a1 a2 b0 b1 b2]" {
			t.Errorf("responses came as %v", got)
		}
	})
}

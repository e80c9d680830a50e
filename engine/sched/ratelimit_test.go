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
)

// limited is a worker that runs under a license.
type limited struct {
	*worker
	license *sched.License
}

func (l limited) License() *sched.License { return l.license }

func needs(name string, count int64) sched.Demand {
	return sched.Demand{Resources: []sched.Resource{{Name: name, Count: count}}}
}

func everywhere(name string, count int64) sched.Resource {
	return sched.Resource{Name: name, Count: count, Global: true}
}

// licensed makes a worker that takes a second, under a license.
func licensed(t *testing.T, l *sched.Limiter, d sched.Demand) limited {
	t.Helper()
	license, err := l.Register(d)
	if err != nil {
		t.Fatal(err)
	}
	return limited{&worker{takes: time.Second}, license}
}

func single(executors ...sched.Executor) *sched.Dynamic {
	return sched.NewDynamic(executors, sched.Batching{}, &gauge{})
}

// start queues requests one after the other, and does not wait for their answers.
func start(t *testing.T, all *sync.WaitGroup, h infer.Handler, requests ...*infer.Request) {
	t.Helper()
	for _, r := range requests {
		all.Go(func() {
			if err := h.Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		})
		synctest.Wait()
	}
}

// Rules L21 and L22 (docs/triton/schedulers.md, "Rate limiter").
func TestRateLimiterRefusals(t *testing.T) {
	const both = `Resource "R" is present as both global and device-specific resource in the model configuration.`
	short := func(there, needed int) string {
		return fmt.Sprintf("Resource count for \"R\" is limited to %d which will prevent scheduling of one or more model instances, the minimum required count is %d", there, needed)
	}
	onGPU := needs("R", 3)
	onGPU.Device = 1
	for name, c := range map[string]struct {
		given   []sched.Supply
		demands []sched.Demand
		want    string
	}{
		"without supplies there is what the neediest asks for": {demands: []sched.Demand{needs("R", 2), needs("R", 5)}},
		"global and of a device, in one group": {
			demands: []sched.Demand{{Resources: []sched.Resource{{Name: "R", Count: 1}, everywhere("R", 1)}}}, want: both,
		},
		"global and of a device, across groups": {
			demands: []sched.Demand{needs("R", 1), {Resources: []sched.Resource{everywhere("R", 1)}}}, want: both,
		},
		"both, and too few of one: Triton counts first": {
			given:   []sched.Supply{{"R", 1, sched.AnyDevice}},
			demands: []sched.Demand{{Resources: []sched.Resource{{Name: "R", Count: 2}, everywhere("R", 1)}}}, want: short(1, 2),
		},
		"both, and none for the device": {
			given:   []sched.Supply{{"R", 3, 7}},
			demands: []sched.Demand{{Resources: []sched.Resource{{Name: "R", Count: 2}, everywhere("R", 1)}}}, want: short(0, 2),
		},
		"of two that are too few, the global one": {
			given:   []sched.Supply{{"R", 1, sched.AnyDevice}},
			demands: []sched.Demand{{Resources: []sched.Resource{{Name: "A", Count: 9}, everywhere("R", 7)}}}, want: short(1, 7),
		},
		"of two that are too few for the device, the first by name": {
			given:   []sched.Supply{{"R", 1, sched.AnyDevice}},
			demands: []sched.Demand{{Resources: []sched.Resource{{Name: "S", Count: 9}, {Name: "T", Count: 9}, {Name: "R", Count: 7}}}}, want: short(1, 7),
		},
		"enough":   {given: []sched.Supply{{"R", 2, sched.AnyDevice}}, demands: []sched.Demand{needs("R", 2)}},
		"too few":  {given: []sched.Supply{{"R", 1, sched.AnyDevice}}, demands: []sched.Demand{needs("R", 2)}, want: short(1, 2)},
		"unlisted": {given: []sched.Supply{{"S", 9, sched.AnyDevice}}, demands: []sched.Demand{needs("R", 2)}, want: short(0, 2)},
		"the device's own counts beside that of each": {
			given: []sched.Supply{{"R", 1, sched.AnyDevice}, {"R", 3, 1}}, demands: []sched.Demand{onGPU},
		},
		"another device's does not":          {given: []sched.Supply{{"R", 3, 1}}, demands: []sched.Demand{needs("R", 3)}, want: short(0, 3)},
		"for a global one any device's does": {given: []sched.Supply{{"R", 3, 1}}, demands: []sched.Demand{{Resources: []sched.Resource{everywhere("R", 3)}}}},
		"of two for one device the smaller":  {given: []sched.Supply{{"R", 3, 0}, {"R", 1, 0}}, demands: []sched.Demand{needs("R", 3)}, want: short(1, 3)},
		"nothing asked for, nothing refused": {given: []sched.Supply{{"R", 0, 0}}, demands: []sched.Demand{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			l := sched.NewLimiter(c.given)
			got := ""
			for _, d := range c.demands {
				if _, err := l.Register(d); err != nil {
					got = err.Error()
				}
			}
			if got != c.want {
				t.Errorf("error = %q, want %q", got, c.want)
			}
		})
	}
}

// A refused instance changes nothing: others may register after it. A closed instance asks for nothing any
// more.
func TestRateLimiterForgetsTheRefusedAndTheGone(t *testing.T) {
	l := sched.NewLimiter(nil)
	if _, err := l.Register(needs("R", 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Register(sched.Demand{Resources: []sched.Resource{everywhere("R", 1)}}); err == nil {
		t.Error("a global R was taken beside that of a device")
	}
	if _, err := l.Register(needs("R", 2)); err != nil {
		t.Errorf("after a refusal: %v", err)
	}
	l = sched.NewLimiter(nil)
	gone, err := l.Register(needs("R", 1))
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	if _, err := l.Register(sched.Demand{Resources: []sched.Resource{everywhere("R", 1)}}); err != nil {
		t.Errorf("after the other has gone: %v", err)
	}
}

// Two models that need 2 of R run one after the other where there are 2, and at the same time where
// there are 4 (docs/triton/schedulers.md, "Rate limiter").
func TestRateLimiterCapacity(t *testing.T) {
	for given, want := range map[int64]time.Duration{0: 2 * time.Second, 3: 2 * time.Second, 4: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var supplies []sched.Supply
			if given > 0 {
				supplies = append(supplies, sched.Supply{Name: "R", Count: given, Device: sched.AnyDevice})
			}
			l := sched.NewLimiter(supplies)
			a, b := licensed(t, l, needs("R", 2)), licensed(t, l, needs("R", 2))
			began := time.Now()
			var all sync.WaitGroup
			for _, w := range []limited{a, b} {
				d := single(w)
				start(t, &all, d, request("r", 1))
			}
			all.Wait()
			if took := time.Since(began); took != want {
				t.Errorf("with %d given, two runs took %v, want %v", given, took, want)
			}
		})
	}
}

// Each device has its own resources; a global resource is shared by all devices.
func TestRateLimiterDevices(t *testing.T) {
	for name, c := range map[string]struct {
		resource sched.Resource
		want     time.Duration
	}{
		"per device": {sched.Resource{Name: "R", Count: 1}, time.Second},
		"global":     {everywhere("R", 1), 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := sched.NewLimiter(nil)
			var executors []sched.Executor
			for device := range 2 {
				executors = append(executors, licensed(t, l, sched.Demand{Device: device, Resources: []sched.Resource{c.resource}}))
			}
			began := time.Now()
			queueUp(t, single(executors...), ones("a", "b")...)
			if took := time.Since(began); took != c.want {
				t.Errorf("%s: took %v, want %v", name, took, c.want)
			}
		})
	}
}

// An instance of priority 2 gets half the turns of one of priority 1.
func TestRateLimiterPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter(nil)
		often, seldom := needs("R", 1), needs("R", 1)
		often.Priority, seldom.Priority = 1, 2
		a, b := licensed(t, l, often), licensed(t, l, seldom)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, w := range []limited{a, b} {
			d := single(w)
			for i := range 40 {
				all.Go(func() { newAnswers().infer(ctx, d, request(fmt.Sprint(i), 1)) })
			}
		}
		time.Sleep(30*time.Second - time.Millisecond)
		cancel()
		all.Wait()
		if len(a.batches) != 20 || len(b.batches) != 10 {
			t.Errorf("%d and %d runs, want 20 and 10", len(a.batches), len(b.batches))
		}
	})
}

// Priorities have an effect before anything has run (seen on Triton 24.10). Two instances wait for one unit: priority
// 1 runs twice before priority 3 runs once, even though priority 3 came first.
func TestRateLimiterPriorityOfTheFirstRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter(nil)
		seldom, often := needs("R", 1), needs("R", 1)
		seldom.Priority, often.Priority = 3, 1
		holder := licensed(t, l, needs("R", 1))
		a, order := newAnswers(), map[string]*sched.Dynamic{"low": single(licensed(t, l, seldom)), "high": single(licensed(t, l, often))}
		var all sync.WaitGroup
		start(t, &all, single(holder), request("busy", 1))
		for _, id := range []string{"low1", "low2", "high1", "high2"} {
			all.Go(func() { a.infer(t.Context(), order[id[:len(id)-1]], request(id, 1)) })
			synctest.Wait()
		}
		all.Wait()
		if fmt.Sprint(a.order) != "[high1 high2 low1 low2]" {
			t.Errorf("they ran as %v", a.order)
		}
	})
}

// The resources that the first in turn waits for are reserved. An instance that needs none of them
// goes ahead.
func TestRateLimiterKeepsForTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter([]sched.Supply{{"R", 2, sched.AnyDevice}, {"S", 1, sched.AnyDevice}})
		small, big, other := licensed(t, l, needs("R", 1)), licensed(t, l, needs("R", 2)), licensed(t, l, needs("S", 1))
		next := licensed(t, l, needs("R", 1))
		ended := map[string]time.Duration{}
		var mu sync.Mutex // guards ended
		var all sync.WaitGroup
		began := time.Now()
		send := func(name string, w limited) {
			d := single(w)
			all.Go(func() {
				newAnswers().infer(t.Context(), d, request(name, 1))
				mu.Lock()
				defer mu.Unlock()
				ended[name] = time.Since(began)
			})
			synctest.Wait()
		}
		send("small", small)
		send("big", big)
		send("next", next) // fits, but would keep the big one waiting
		send("other", other)
		all.Wait()
		want := map[string]time.Duration{"small": time.Second, "other": time.Second, "big": 2 * time.Second, "next": 3 * time.Second}
		if fmt.Sprint(ended) != fmt.Sprint(want) {
			t.Errorf("ended after %v, want %v", ended, want)
		}
	})
}

// A batch is formed when its instance gets its turn, so requests that come meanwhile run with it.
func TestRateLimiterBatchGrowsWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter(nil)
		a, b := licensed(t, l, needs("R", 1)), licensed(t, l, needs("R", 1))
		other, d := single(a), sched.NewDynamic([]sched.Executor{b}, sched.Batching{MaxBatch: 8}, &gauge{})
		var all sync.WaitGroup
		start(t, &all, other, request("x", 1))
		synctest.Wait()
		start(t, &all, d, ones("1", "2", "3")...)
		all.Wait()
		wantBatches(t, b.worker, []string{"1", "2", "3"})
	})
}

// A request may be cancelled, and may time out, while its instance waits for resources; its resources are free again.
func TestRateLimiterCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter(nil)
		a, b, c := licensed(t, l, needs("R", 1)), licensed(t, l, needs("R", 1)), licensed(t, l, needs("R", 1))
		g, got := &gauge{}, newAnswers()
		cancels := sched.NewDynamic([]sched.Executor{b}, sched.Batching{}, g)
		expires := sched.NewDynamic([]sched.Executor{c}, sched.Batching{Levels: []sched.Policy{{Timeout: 100 * time.Millisecond}}}, g)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		first := single(a)
		start(t, &all, first, request("runs", 1))
		synctest.Wait()
		all.Go(func() { got.infer(ctx, cancels, request("cancelled", 1)) })
		all.Go(func() { got.infer(t.Context(), expires, request("late", 1)) })
		synctest.Wait()
		cancel()
		all.Wait()
		if infer.CodeOf(got.err("cancelled")) != infer.Cancelled {
			t.Errorf("cancelled: %v", got.err("cancelled"))
		}
		wantExpired(t, got.err("late"))
		if len(b.batches)+len(c.batches) != 0 || g.now.Load() != 0 {
			t.Errorf("ran %v and %v, %d still queued", b.batches, c.batches, g.now.Load())
		}
		queueUp(t, cancels, request("again", 1))
		queueUp(t, expires, request("again", 1))
	})
}

// A scheduler that does not ask the limiter waits inside the executor.
func TestRateLimiterInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sched.NewLimiter(nil)
		a, b := licensed(t, l, needs("R", 1)), licensed(t, l, needs("R", 1))
		began := time.Now()
		var all sync.WaitGroup
		for _, w := range []limited{a, b} {
			d := sched.NewDirect([]sched.Executor{sched.InTurn(w)}, &gauge{})
			start(t, &all, d, request("r", 1))
			synctest.Wait()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := newAnswers()
		got.infer(ctx, sched.NewDirect([]sched.Executor{sched.InTurn(licensed(t, l, needs("R", 1)))}, &gauge{}), request("gone", 1))
		if infer.CodeOf(got.err("gone")) != infer.Cancelled {
			t.Errorf("cancelled while waiting: %v", got.err("gone"))
		}
		all.Wait()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %v, want 2s", took)
		}
		plain := &worker{}
		if sched.InTurn(plain) != sched.Executor(plain) {
			t.Error("an executor without a license is wrapped")
		}
	})
}

// While requests come and leave, no resource is lost, and no instance runs without its resources.
func TestRateLimiterUnderLoad(t *testing.T) {
	l := sched.NewLimiter([]sched.Supply{{"R", 3, sched.AnyDevice}})
	var all sync.WaitGroup
	g, a := &gauge{}, newAnswers()
	for m := range 4 {
		var executors []sched.Executor
		for range 2 {
			executors = append(executors, limited{&worker{}, licensed(t, l, needs("R", int64(m%3+1))).license})
		}
		d := sched.NewDynamic(executors, sched.Batching{MaxBatch: 4, MaxDelay: time.Microsecond}, g)
		for i := range 8 {
			all.Go(func() {
				for n := range 100 {
					ctx, cancel := context.WithCancel(t.Context())
					if n%7 == 0 {
						cancel()
					}
					a.infer(ctx, d, request(fmt.Sprint(m, "-", i, "-", n), int64(n%3+1)))
					cancel()
				}
			})
		}
	}
	all.Wait()
	if len(a.order) != 3200 || g.now.Load() != 0 {
		t.Errorf("%d answers, %d still queued; want 3200 and 0", len(a.order), g.now.Load())
	}
	for id, err := range a.errs {
		if err != nil && infer.CodeOf(err) != infer.Cancelled {
			t.Errorf("%s: %v", id, err)
		}
	}
}

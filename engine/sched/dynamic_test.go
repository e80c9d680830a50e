package sched_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// queueUp runs requests in the order given, each queued before the next.
func queueUp(t *testing.T, h infer.Handler, requests ...*infer.Request) *answers {
	t.Helper()
	a := newAnswers()
	var all sync.WaitGroup
	for _, r := range requests {
		all.Go(func() { a.infer(t.Context(), h, r) })
		synctest.Wait()
	}
	all.Wait()
	noErrors(t, a)
	return a
}

func wantBatches(t *testing.T, w *worker, want ...[]string) {
	t.Helper()
	if !reflect.DeepEqual(w.batches, want) {
		t.Errorf("batches = %v, want %v", w.batches, want)
	}
}

// Requests are taken in order, up to the maximum, and never split; when a busy instance becomes
// free, all that fit are taken (docs/triton/schedulers.md, "Dynamic batching", step 1).
func TestDynamicFillsUpToTheMaximum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 4}, &gauge{})
		queueUp(t, d, request("a", 1), request("b", 2), request("c", 1), request("d", 1), request("e", 4), request("f", 1))
		wantBatches(t, w, []string{"a"}, []string{"b", "c", "d"}, []string{"e"}, []string{"f"})
	})
}

// The scan never skips a request that does not fit (docs/triton/schedulers.md, "Dynamic
// batching", step 1).
func TestDynamicNeverSkips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 8}, &gauge{})
		odd := request("c", 1)
		odd.Inputs[0].Shape = tensor.Shape{1, 3}
		other := request("e", 1)
		other.Inputs[0].Name = "OTHER"
		queueUp(t, d, request("a", 1), request("b", 1), odd, request("d", 1), other)
		wantBatches(t, w, []string{"a"}, []string{"b"}, []string{"c"}, []string{"d"}, []string{"e"})
	})
}

// A delay waits for more requests, and ends when the batch is full (docs/triton/schedulers.md,
// "Dynamic batching", step 3).
func TestDynamicDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 8, MaxDelay: 300 * time.Millisecond}, &gauge{})
		began := time.Now()
		queueUp(t, d, request("a", 1), request("b", 2))
		if took := time.Since(began); took != 300*time.Millisecond {
			t.Errorf("a batch that is not full left after %v, want 300ms", took)
		}
		began = time.Now()
		queueUp(t, d, request("c", 4), request("d", 4))
		if took := time.Since(began); took != 0 {
			t.Errorf("a full batch left after %v, want at once", took)
		}
		wantBatches(t, w, []string{"a", "b"}, []string{"c", "d"})
	})
}

func TestDynamicCancelWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, a := &worker{takes: time.Second}, &gauge{}, newAnswers()
		d := sched.NewDynamic([]sched.Executor{w}, sched.Batching{MaxBatch: 8}, g)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i, id := range []string{"a", "b", "c"} {
			own := t.Context()
			if i == 1 {
				own = ctx
			}
			all.Go(func() { a.infer(own, d, request(id, 1)) })
			synctest.Wait()
		}
		cancel()
		all.Wait()
		if infer.CodeOf(a.errs["b"]) != infer.Cancelled || a.errs["a"] != nil || a.errs["c"] != nil {
			t.Errorf("errors = %v, want b alone cancelled", a.errs)
		}
		wantBatches(t, w, []string{"a"}, []string{"c"})
		if g.now.Load() != 0 {
			t.Errorf("%d are still counted as queued", g.now.Load())
		}
	})
}

func TestDynamicUnderLoad(t *testing.T) {
	var workers []sched.Executor
	for range 3 {
		workers = append(workers, &worker{})
	}
	g := &gauge{}
	d := sched.NewDynamic(workers, sched.Batching{MaxBatch: 8, MaxDelay: time.Microsecond}, g)
	a := newAnswers()
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			for n := range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				if n%7 == 0 {
					cancel()
				}
				a.infer(ctx, d, request(fmt.Sprint(i, "-", n), int64(n%3+1)))
				cancel()
			}
		})
	}
	all.Wait()
	if len(a.order) != 3200 || g.now.Load() != 0 {
		t.Errorf("%d answers, %d still queued; want 3200 and 0", len(a.order), g.now.Load())
	}
}

// lowest notes the lowest number of waiting requests.
type lowest struct{ now, low atomic.Int64 }

func (g *lowest) Queued(delta int64) {
	now := g.now.Add(delta)
	for low := g.low.Load(); now < low && !g.low.CompareAndSwap(low, now); low = g.low.Load() {
	}
}

// A request that another goroutine takes at once is counted before that: no fewer than none ever wait.
func TestWaitingIsNeverNegative(t *testing.T) {
	g := &lowest{}
	d := sched.NewDynamic([]sched.Executor{&worker{}, &worker{}}, sched.Batching{MaxBatch: 4}, g)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 2000 {
				if err := d.Infer(t.Context(), request("r", 1), func(*infer.Response) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if g.low.Load() < 0 || g.now.Load() != 0 {
		t.Errorf("%d waited at one time, %d at the end", g.low.Load(), g.now.Load())
	}
}

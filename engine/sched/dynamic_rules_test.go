package sched_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

const delay = 300 * time.Millisecond

// arrival is a request that comes a while after the one before.
type arrival struct {
	after time.Duration
	r     *infer.Request
}

// sendAll sends the requests at their times and returns their results, and when each ended, counted from the
// first.
func sendAll(t *testing.T, h infer.Handler, arrivals ...arrival) (*answers, map[string]time.Duration) {
	t.Helper()
	a, began := newAnswers(), time.Now()
	ended := map[string]time.Duration{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, next := range arrivals {
		time.Sleep(next.after)
		all.Go(func() {
			a.infer(t.Context(), h, next.r)
			mu.Lock()
			defer mu.Unlock()
			ended[next.r.ID] = time.Since(began)
		})
		synctest.Wait()
	}
	all.Wait()
	return a, ended
}

func together(requests ...*infer.Request) []arrival {
	list := make([]arrival, len(requests))
	for i, r := range requests {
		list[i].r = r
	}
	return list
}

func ones(ids ...string) []*infer.Request {
	list := make([]*infer.Request, len(ids))
	for i, id := range ids {
		list[i] = request(id, 1)
	}
	return list
}

// Steps 2 and 3 of docs/triton/schedulers.md, "Dynamic batching", with the figures of Triton 24.10.
func TestDynamicPreferredSizes(t *testing.T) {
	preferred24 := sched.Batching{MaxBatch: 8, Preferred: []int64{2, 4}, MaxDelay: delay}
	for name, c := range map[string]struct {
		rules    sched.Batching
		takes    time.Duration
		requests []*infer.Request
		batches  string
		ended    map[string]time.Duration
	}{
		"a preferred prefix leaves at once, the rest after the delay": {
			rules: preferred24, requests: ones("a", "b", "c"), batches: "[[a b] [c]]", ended: map[string]time.Duration{"b": 0, "c": delay},
		},
		"sizes 1 and 2 make 3, which nobody prefers": {
			rules: preferred24, requests: []*infer.Request{request("a", 1), request("b", 2)}, batches: "[[a b]]", ended: map[string]time.Duration{"a": delay},
		},
		"a single 3 waits the full delay": {
			rules: preferred24, requests: []*infer.Request{request("a", 3)}, batches: "[[a]]", ended: map[string]time.Duration{"a": delay},
		},
		"a single 5 is beyond the largest and goes at once": {
			rules: preferred24, requests: []*infer.Request{request("a", 5)}, batches: "[[a]]", ended: map[string]time.Duration{"a": 0},
		},
		"behind a busy instance the preferred size, then what is there": {
			rules: sched.Batching{MaxBatch: 8, Preferred: []int64{4}}, takes: time.Second,
			requests: ones("a", "b", "c", "d", "e", "f", "g"), batches: "[[a] [b c d e] [f g]]",
		},
		"the largest preferred size that is there": {
			rules: sched.Batching{MaxBatch: 8, Preferred: []int64{2, 4}}, takes: time.Second,
			requests: ones("a", "b", "c", "d", "e", "f"), batches: "[[a] [b c d e] [f]]",
		},
		"beyond the largest with none met, what was scanned so far": {
			rules: sched.Batching{MaxBatch: 8, Preferred: []int64{4}, MaxDelay: delay}, takes: time.Second,
			requests: []*infer.Request{request("x", 4), request("a", 3), request("b", 3)}, batches: "[[x] [a b]]",
		},
		"without preferred sizes the maximum is preferred": {
			rules: sched.Batching{MaxBatch: 4, MaxDelay: delay}, requests: ones("a", "b", "c", "d"), batches: "[[a b c d]]",
			ended: map[string]time.Duration{"a": 0},
		},
		"a model that does not batch": {
			rules: sched.Batching{MaxBatch: 0}, takes: time.Second, requests: ones("a", "b"), batches: "[[a] [b]]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &worker{takes: c.takes}
				a, ended := sendAll(t, sched.NewDynamic([]sched.Executor{w}, c.rules, &gauge{}), together(c.requests...)...)
				noErrors(t, a)
				if got := fmt.Sprint(w.batches); got != c.batches {
					t.Errorf("batches = %s, want %s", got, c.batches)
				}
				for id, want := range c.ended {
					if ended[id] != want {
						t.Errorf("%s ended after %v, want %v", id, ended[id], want)
					}
				}
			})
		})
	}
}

// A request that does not fit ends the wait of those before it (docs/triton/schedulers.md, "Dynamic
// batching", step 3).
func TestDynamicMismatchEndsTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, odd := &worker{}, request("c", 1)
		odd.Inputs[0].Shape[1] = 3
		rules := sched.Batching{MaxBatch: 8, MaxDelay: delay}
		_, ended := sendAll(t, sched.NewDynamic([]sched.Executor{w}, rules, &gauge{}),
			arrival{0, request("a", 1)}, arrival{0, request("b", 1)}, arrival{delay / 3, odd})
		wantBatches(t, w, []string{"a", "b"}, []string{"c"})
		if ended["a"] != delay/3 || ended["c"] != delay/3+delay {
			t.Errorf("a ended after %v, c after %v", ended["a"], ended["c"])
		}
	})
}

// The delay counts from the oldest request, whatever its priority (docs/triton/schedulers.md,
// "Dynamic batching", step 4).
func TestDynamicDelayCountsFromTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		rules := sched.Batching{MaxBatch: 8, MaxDelay: delay, Levels: make([]sched.Policy, 2), DefaultLevel: 2}
		high := request("high", 1)
		high.Priority = 1
		_, ended := sendAll(t, sched.NewDynamic([]sched.Executor{w}, rules, &gauge{}), arrival{0, request("low", 1)}, arrival{delay / 3, high})
		wantBatches(t, w, []string{"high", "low"})
		if ended["low"] != delay || ended["high"] != delay {
			t.Errorf("ended after %v, want both after %v", ended, delay)
		}
	})
}

// Two idle instances run batches at the same time.
func TestDynamicUsesEveryInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := &worker{takes: time.Second}, &worker{takes: time.Second}
		_, ended := sendAll(t, sched.NewDynamic([]sched.Executor{first, second}, sched.Batching{MaxBatch: 2}, &gauge{}),
			together(ones("a", "b", "c", "d", "e")...)...)
		if len(first.batches)+len(second.batches) != 4 || ended["e"] != 2*time.Second {
			t.Errorf("batches %v and %v, the last ended after %v", first.batches, second.batches, ended["e"])
		}
	})
}

func TestDynamicPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		rules := sched.Batching{MaxBatch: 1, Levels: make([]sched.Policy, 3), DefaultLevel: 2}
		var list []*infer.Request
		for _, next := range []struct {
			id       string
			priority uint64
		}{{"busy", 1}, {"low", 3}, {"none", 0}, {"beyond", 9}, {"high", 1}, {"middle", 2}, {"high2", 1}} {
			r := request(next.id, 1)
			r.Priority = next.priority
			list = append(list, r)
		}
		a, _ := sendAll(t, sched.NewDynamic([]sched.Executor{w}, rules, &gauge{}), together(list...)...)
		noErrors(t, a)
		wantBatches(t, w, []string{"busy"}, []string{"high"}, []string{"high2"}, []string{"none"}, []string{"beyond"}, []string{"middle"}, []string{"low"})
	})
}

// A batch takes requests of the next level when the higher level is empty.
func TestDynamicBatchSpansLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		rules := sched.Batching{MaxBatch: 3, Levels: make([]sched.Policy, 2), DefaultLevel: 2}
		list := ones("busy", "a", "b", "c")
		list[3].Priority = 1
		sendAll(t, sched.NewDynamic([]sched.Executor{w}, rules, &gauge{}), together(list...)...)
		wantBatches(t, w, []string{"busy"}, []string{"c", "a", "b"})
	})
}

package metrics_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/engine/histogram"
	"conch/engine/infer"
	"conch/engine/metrics"
)

// one returns a histogram of one value.
func one(v uint64) histogram.Counts {
	var h histogram.Live
	h.Add(v)
	return h.Counts()
}

func TestCountersFollowTriton(t *testing.T) {
	c := metrics.New()
	c.Succeeded(3, infer.Timings{Queue: 1, Input: 2, Infer: 3, Output: 4, Total: 100})
	c.Executed(3, infer.Timings{Input: 2, Infer: 3, Output: 4})
	c.Executed(1, infer.Timings{Infer: 7})
	c.Failed(metrics.Backend, 50)
	got := c.Snapshot()
	got.Generation, got.LastMs, got.Latency = 0, 0, histogram.Counts{}
	want := metrics.Snapshot{
		Success: 1, RequestNs: 100, QueueNs: 1, InputNs: 2, InferNs: 3, OutputNs: 4,
		FailNs: 50, Inferences: 3, Executions: 2,
		QueueTimes: one(1), InputTimes: one(2),
		InferTimes: one(3), OutputTimes: one(4),
		Batches: []metrics.Batch{{Size: 1, Count: 1, InferNs: 7}, {Size: 3, Count: 1, InputNs: 2, InferNs: 3, OutputNs: 4}},
	}
	want.Failures[metrics.Backend] = 1
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOverallGoesOnOverReloads(t *testing.T) {
	first, second, third := metrics.New(), metrics.New(), metrics.New()
	first.Succeeded(1, infer.Timings{Total: time.Second})
	second.Follows(first)
	second.Succeeded(1, infer.Timings{})
	third.Follows(second)
	first.Succeeded(1, infer.Timings{}) // a straggler of the drained load
	if got := third.Overall().Rest.Success; got != 3 {
		t.Errorf("overall success = %d, want 3", got)
	}
	second.Rest()
	third.Settle()
	first.Succeeded(1, infer.Timings{})
	if got := third.Overall().Rest.Success; got != 4 {
		t.Errorf("overall success = %d, want 4: the first load was still counting", got)
	}
	first.Rest()
	third.Settle()
	if got := third.Overall().Rest.Success; got != 4 {
		t.Errorf("overall success after settling = %d, want 4", got)
	}
	if got := third.Snapshot().Success; got != 0 {
		t.Errorf("own success = %d, want 0", got)
	}
	if first.Generation() == second.Generation() {
		t.Error("two sets of counters share a generation")
	}
}

// What runs on a GPU with a label is a part of what a version counts, and goes on over reloads in place for that GPU.
func TestCountersOfGPUs(t *testing.T) {
	first, second, third := metrics.New(), metrics.New(), metrics.New()
	took := infer.Timings{Queue: 2, Input: 3, Infer: 4, Output: 5, Total: 20}
	first.Succeeded(1, took)
	second.Follows(first)
	second.On("a").Succeeded(2, took)
	second.On("a").Executed(2, took)
	second.On("b").Succeeded(4, took)
	second.On("").Succeeded(8, took)
	second.WarmUp().On("a").Succeeded(16, took)
	second.Queued(1)
	if s := second.Snapshot(); s.Inferences != 30 || s.Executions != 1 || s.Pending != 1 || s.Generation != second.Generation() || s.Latency.Total() != 4 || len(s.Batches) != 1 {
		t.Errorf("the whole is %+v", s)
	}
	if s := second.Users(); s.Inferences != 14 || s.RequestNs != 60 {
		t.Errorf("users' requests are %+v", s)
	}
	if s := second.Split(); s.Rest.Inferences != 8 || s.On["a"].Inferences != 18 || s.On["a"].Latency.Total() != 2 || s.On["b"].InferTimes.Total() != 1 || s.On["a"].Pending != 0 ||
		s.On["a"].Generation == s.Rest.Generation {
		t.Errorf("the parts are %+v", s)
	}
	third.Follows(second)
	third.On("a").Succeeded(32, took)
	check := func(when string) {
		if s := third.Overall(); s.Rest.Inferences != 9 || s.On["a"].Inferences != 50 || s.On["b"].Inferences != 4 || len(s.On) != 2 {
			t.Errorf("%s: %+v", when, s)
		}
	}
	check("while the earlier ones count")
	first.Rest()
	second.Rest()
	third.Settle()
	check("when they are at rest")
	check("again")
}

package metrics_test

import (
	"testing"

	"conch/engine/infer"
	"conch/engine/metrics"
)

func answer(c *metrics.Counters, times int) {
	for range times {
		c.Succeeded(1, infer.Timings{Total: 1000})
	}
}

// wantSum fails unless the ledger has this many requests of version 1 of a model, and as many in its
// histogram.
func wantSum(t *testing.T, l *metrics.Ledger, model string, want uint64) (generation uint64) {
	t.Helper()
	for _, sum := range l.Sums() {
		if sum.Model == model && sum.Version == 1 {
			if sum.Success != want || sum.Latency.Total() != want {
				t.Errorf("%s: %d requests, %d in the histogram; want %d", model, sum.Success, sum.Latency.Total(), want)
			}
			return sum.Generation
		}
	}
	t.Errorf("%s is not in the ledger", model)
	return 0
}

func TestLedgerGoesOnOverLoads(t *testing.T) {
	var l metrics.Ledger
	first, second := metrics.New(), metrics.New()
	answer(first, 2)
	l.Open("m", 1, first)
	answer(first, 3)
	begin := wantSum(t, &l, "m", 5)
	l.Open("m", 1, second)
	l.Open("m", 1, second) // instances changed in place: a new version continues with the same counters
	answer(second, 7)
	answer(first, 1) // it drains
	wantSum(t, &l, "m", 13)
	l.Close("m", 1, first)
	l.Close("m", 1, first)
	wantSum(t, &l, "m", 13)
	l.Close("m", 1, second) // unloaded
	if end := wantSum(t, &l, "m", 13); end != begin {
		t.Error("the generation changed although the sum went on")
	}
}

// Warm-up runs are in Triton's counts, but not in the users' sums.
func TestWarmUpIsCountedApart(t *testing.T) {
	var l metrics.Ledger
	c := metrics.New()
	c.WarmUp().Succeeded(2, infer.Timings{Infer: 10, Total: 20})
	c.WarmUp().Executed(2, infer.Timings{Infer: 10})
	l.Open("m", 1, c)
	answer(c, 4)
	c.Executed(2, infer.Timings{Infer: 30})
	wantSum(t, &l, "m", 4)
	for what, s := range map[string]metrics.Snapshot{"statistics": c.Snapshot(), "metrics": c.Overall().Rest} {
		if s.Success != 5 || s.Inferences != 6 || s.RequestNs != 4020 || s.Executions != 2 {
			t.Errorf("%s: %+v; want the warm-up run in them", what, s)
		}
	}
	if s := c.Snapshot(); len(s.Batches) != 1 || s.Batches[0].Count != 2 || s.Batches[0].InferNs != 40 || s.Latency.Total() != 5 {
		t.Errorf("batches %v, %d in the histogram", s.Batches, s.Latency.Total())
	}
}

func TestLedgerIsBounded(t *testing.T) {
	var l metrics.Ledger
	kept := metrics.New()
	answer(kept, 1)
	l.Open("kept", 1, kept)
	for i := range 1200 {
		c := metrics.New()
		l.Open("gone", int64(i), c)
		l.Close("gone", int64(i), c)
	}
	if n := len(l.Sums()); n != 1001 {
		t.Errorf("%d sums are kept, want those of 1000 versions that are gone, and one that serves", n)
	}
	wantSum(t, &l, "kept", 1)
	again := metrics.New()
	l.Open("gone", 0, again)
	for _, sum := range l.Sums() {
		if sum.Model == "gone" && sum.Version == 0 && sum.Generation != again.Generation() {
			t.Error("a sum that begins again has the generation of before")
		}
	}
}

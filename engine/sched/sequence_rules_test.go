package sched_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// START on a live ID ends the earlier sequence without an error. Its requests still run, and the new sequence has its
// own state.
func TestStartOnALiveSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := &worker{takes: time.Second}, &chained{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), c, &gauge{})
		a, _ := sendAll(t, s, ofAll("a1(", "a2", "a3(", "a4)")...)
		noErrors(t, a)
		if got := fmt.Sprint(c.wired); got != "[a1< a2<a1 a3< a4<a3]" {
			t.Errorf("wired %s", got)
		}
		s.Stop()
	})
}

// A request with START and END is a whole sequence, and its ID may be used again at once.
func TestStartAndEndInOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), &chained{}, &gauge{})
		a, _ := sendAll(t, s, ofAll("a1()", "a2()", "a3")...)
		if a.err("a1") != nil || a.err("a2") != nil || a.err("a3") == nil || a.err("a3").Error() != noStart {
			t.Errorf("errors = %v", a.errs)
		}
	})
}

// The idle time of a sequence in the backlog counts: it ends when its requests have run (seen on Triton 24.10).
func TestIdleTimeRunsInTheBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rules := &worker{takes: 300 * ms}, sequencing(1, nil)
		rules.Idle = time.Second
		s := sched.NewSequence([]sched.Executor{w}, rules, &chained{}, &gauge{})
		a, _ := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, of("b1(")}, arrival{600 * ms, of("a2")}, arrival{600 * ms, of("a3)")},
			arrival{700 * ms, of("b2")})
		if a.err("b1") != nil || a.err("b2") == nil || !strings.Contains(a.err("b2").Error(), "must specify the START flag") {
			t.Errorf("errors = %v", a.errs)
		}
		s.Stop()
	})
}

// An idle sequence is not removed from the backlog: it still gets its turn.
func TestBackloggedSequencesAreNotReaped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rules := &worker{takes: 3 * time.Second}, sequencing(1, nil)
		rules.Idle = time.Second
		s := sched.NewSequence([]sched.Executor{w}, rules, &chained{}, &gauge{})
		a, ended := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, of("b1()")})
		noErrors(t, a)
		if ended["b1"] != 6*time.Second {
			t.Errorf("b ended after %v", ended["b1"])
		}
		s.Stop()
	})
}

// Cancelling a request ends its sequence. The requests before it still run.
func TestCancelSparesWhatCameBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a := &worker{takes: time.Second}, newAnswers()
		s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), &chained{}, &gauge{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, id := range []string{"a1(", "a2", "a3", "a4"} {
			own := t.Context()
			if id == "a3" {
				own = ctx
			}
			all.Go(func() { a.infer(own, s, of(id)) })
			synctest.Wait()
		}
		cancel()
		all.Wait()
		wantRuns(t, w, "[[a1] [a2]]")
		if a.err("a2") != nil || a.err("a4") == nil || !strings.Contains(a.err("a4").Error(), "another request of its sequence") {
			t.Errorf("errors = %v", a.errs)
		}
		s.Stop()
	})
}

// Cancelling any request of a sequence in the backlog removes the whole sequence.
func TestCancelInTheBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a, g := &worker{takes: time.Second}, newAnswers(), &gauge{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), &chained{}, g)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, id := range []string{"a1()", "b1(", "b2", "c1()"} {
			own := t.Context()
			if id == "b2" {
				own = ctx
			}
			all.Go(func() { a.infer(own, s, of(id)) })
			synctest.Wait()
		}
		cancel()
		all.Wait()
		wantRuns(t, w, "[[a1] [c1]]")
		if infer.CodeOf(a.err("b1")) != infer.Cancelled || infer.CodeOf(a.err("b2")) != infer.Cancelled || g.now.Load() != 0 {
			t.Errorf("errors = %v", a.errs)
		}
		s.Stop()
	})
}

// A cancelled request takes those behind it along, but not a sequence of the same id that begins behind it or ended before it.
func TestCancelSparesAnotherStart(t *testing.T) {
	for name, c := range map[string]struct {
		sent       []string
		left       string // its client leaves
		want, lost string
	}{
		"in its slot":            {[]string{"a1(", "a2", "a3", "a4(", "a5)", "b1()"}, "a2", "[[a1] [a4] [a5] [b1]]", "[a2 a3]"},
		"in the backlog":         {[]string{"b1(", "a1(", "a2", "a3(", "a4", "a5(", "a6)", "b2)"}, "a4", "[[b1] [b2] [a1] [a2] [a5] [a6]]", "[a3 a4]"},
		"the last, in its slot":  {[]string{"a1(", "a2", "a3(", "a4", "b1()"}, "a3", "[[a1] [a2] [b1]]", "[a3 a4]"},
		"the last, in a backlog": {[]string{"b1(", "a1(", "a2", "a3(", "a4", "b2)"}, "a4", "[[b1] [b2] [a1] [a2]]", "[a3 a4]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, a, g := &worker{takes: time.Second}, newAnswers(), &gauge{}
				s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), &chained{}, g)
				ctx, cancel := context.WithCancel(t.Context())
				var all sync.WaitGroup
				for _, id := range c.sent {
					own := t.Context()
					if strings.HasPrefix(id, c.left) {
						own = ctx
					}
					all.Go(func() { a.infer(own, s, of(id)) })
					synctest.Wait()
				}
				cancel()
				all.Wait()
				wantRuns(t, w, c.want)
				lost := slices.DeleteFunc(slices.Sorted(maps.Keys(a.errs)), func(id string) bool { return a.errs[id] == nil })
				if fmt.Sprint(lost) != c.lost || g.now.Load() != 0 {
					t.Errorf("lost = %v, want %s; %d are queued; %v", lost, c.lost, g.now.Load(), a.errs)
				}
				s.Stop()
			})
		})
	}
}

// Direct: a batch reaches to the last slot with a request, even if that has another shape.
func TestDirectBatchEndsAtTheLastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, odd := &worker{takes: time.Second}, of("c1(")
		s := sched.NewSequence([]sched.Executor{w}, sequencing(4, nil), &chained{}, &gauge{})
		odd.Inputs[0].Shape[1] = 5
		a, _ := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, of("b1(")}, arrival{0, odd}, arrival{0, of("d1(")}, arrival{2500 * ms, of("b2")})
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [- b1 - d1] [- - c1] [- b2]]")
		s.Stop()
	})
}

// Inputs that may be ragged need not have the same shape.
func TestDirectTakesRaggedInputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, odd, rules := &worker{takes: time.Second}, of("b1()"), sequencing(3, nil)
		rules.Ragged = map[string]bool{"IN": true}
		s := sched.NewSequence([]sched.Executor{w}, rules, &chained{}, &gauge{})
		odd.Inputs[0].Shape[1] = 5
		a, _ := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, odd}, arrival{0, of("a2)")})
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [a2 b1]]")
		s.Stop()
	})
}

// Direct: requests with different inputs do not run together either.
func TestDirectLeavesOtherInputsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, more := &worker{takes: time.Second}, of("b1()")
		s := sched.NewSequence([]sched.Executor{w}, sequencing(3, nil), &chained{}, &gauge{})
		more.Inputs = append(more.Inputs, tensor.Tensor{Name: "EXTRA", Type: tensor.FP32, Shape: tensor.Shape{1, 2}})
		a, _ := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, more}, arrival{0, of("a2)")})
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [a2 -] [- b1]]")
		s.Stop()
	})
}

// Without a share of slots to wait for, or without a delay, a direct batch runs at once.
func TestDirectDoesNotWaitWithoutUtilization(t *testing.T) {
	for name, change := range map[string]func(*sched.Sequencing){
		"no utilization": func(r *sched.Sequencing) { r.MaxDelay = delay },
		"no delay":       func(r *sched.Sequencing) { r.Utilization = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rules := sequencing(4, nil)
				change(&rules)
				s := sched.NewSequence([]sched.Executor{&worker{}}, rules, &chained{}, &gauge{})
				_, ended := sendAll(t, s, ofAll("a1()")...)
				if ended["a1"] != 0 {
					t.Errorf("ended after %v", ended["a1"])
				}
			})
		})
	}
}

// Oldest with preserve_ordering: an answer leaves after the answers of earlier requests to the instance.
func TestOldestPreservesOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(4, &sched.Batching{MaxBatch: 1, Ordered: true}), &chained{}, &gauge{})
		var left []string
		var all sync.WaitGroup
		for _, id := range []string{"a1()", "b1()", "c1()"} {
			all.Go(func() {
				err := s.Infer(t.Context(), of(id), func(resp *infer.Response) error {
					if resp.ID == "a1" {
						time.Sleep(5 * time.Second) // a slow client
					}
					left = append(left, resp.ID)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if fmt.Sprint(left) != "[a1 b1 c1]" {
			t.Errorf("answers left as %v", left)
		}
		s.Stop()
	})
}

// Every request gets a fault of the states as its error, and counts as a failure.
func TestFaultOfTheStates(t *testing.T) {
	rules := sequencing(1, nil)
	rules.Fault = infer.Errorf(infer.Internal, "no state")
	s := sched.NewSequence([]sched.Executor{&worker{}}, rules, &chained{}, &gauge{})
	err := s.Infer(t.Context(), of("a1()"), func(*infer.Response) error { return nil })
	if err == nil || err.Error() != "no state" || infer.FateOf(err) != infer.Failed {
		t.Errorf("error = %v", err)
	}
}

// The correlation ID must have the type of the model's control. That there is none is said first.
func TestTypesOfCorrelationIDs(t *testing.T) {
	number, name, none := of("a1()"), of("b1()"), of("c1()")
	number.Sequence.Name, number.Sequence.ID = "", 9
	none.Sequence.Name = ""
	refused := func(given, wants string) string {
		return "[request id: %s] sequence batching control 'CID' data-type is '" + given + "', but model 'm' expects '" + wants + "'"
	}
	const unnamed = "inference request to model 'm' must specify a non-zero or non-empty correlation ID"
	for _, c := range []struct {
		ids  sched.IDs
		want [3]string // for a number, a name, none
	}{
		{sched.IDs{}, [3]string{"", "", unnamed}},
		{sched.IDs{Control: "CID", Type: tensor.Int32}, [3]string{"", refused("BYTES", "INT32"), unnamed}},
		{sched.IDs{Control: "CID", Type: tensor.Uint64}, [3]string{"", refused("BYTES", "UINT64"), unnamed}},
		{sched.IDs{Control: "CID", Type: tensor.Bytes}, [3]string{refused("UINT64", "BYTES"), "", unnamed}},
	} {
		rules := sequencing(2, nil)
		rules.IDs = c.ids
		s := sched.NewSequence([]sched.Executor{&worker{}}, rules, &chained{}, &gauge{})
		for i, r := range []*infer.Request{number, name, none} {
			got, want := "", strings.Replace(c.want[i], "%s", r.ID, 1)
			if err := s.Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%v: %s\nwant %s", c.ids, got, want)
			}
		}
	}
}

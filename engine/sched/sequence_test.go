package sched_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

// chained is a model whose state is the ID of the request before.
type chained struct {
	mu    sync.Mutex
	wired []string // "a2<a1"
}

func (c *chained) Wire(r *infer.Request, state any) *infer.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, _ := state.(string)
	c.wired = append(c.wired, r.ID+"<"+before)
	changed := *r
	return &changed
}

func (c *chained) Null(like *infer.Request) *infer.Request {
	null := *like
	null.ID = "-"
	return &null
}

func (c *chained) Keep(_ any, resp *infer.Response) any { return resp.ID }

// of makes a request of a sequence: the first letter of its ID is the sequence's; "(" behind it starts, ")" ends.
func of(id string) *infer.Request {
	r := request(strings.Trim(id, "()"), 1)
	r.Sequence = infer.Sequence{Name: id[:1], Start: strings.Contains(id, "("), End: strings.Contains(id, ")")}
	return r
}

func ofAll(ids ...string) []arrival {
	var list []arrival
	for _, id := range ids {
		list = append(list, arrival{0, of(id)})
	}
	return list
}

func sequencing(slots int, oldest *sched.Batching) sched.Sequencing {
	return sched.Sequencing{Model: "m", MaxBatch: 4, Idle: 5 * time.Second, Slots: slots, Oldest: oldest}
}

func oldestOf(max int64) *sched.Batching { return &sched.Batching{MaxBatch: max} }

func wantRuns(t *testing.T, w *worker, want string) {
	t.Helper()
	if got := fmt.Sprint(w.batches); got != want {
		t.Errorf("batches = %s\nwant      %s", got, want)
	}
}

// Direct: a sequence keeps its slot, and every batch spans the slots in use, with null requests in
// the holes (docs/triton/sequences.md, "Batches of the direct strategy").
func TestDirectKeepsSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c, g := &worker{takes: time.Second}, &chained{}, &gauge{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(3, nil), c, g)
		a, _ := sendAll(t, s, append(ofAll("a1(", "b1(", "c1(", "a2", "c2)", "a3)", "b2)"), arrival{4 * time.Second, of("d1()")})...)
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [a2 b1 c1] [a3 b2 c2] [d1]]")
		if g.now.Load() != 0 {
			t.Errorf("%d are still queued", g.now.Load())
		}
		s.Stop()
	})
}

func TestDirectFillsHolesWithNulls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := &worker{takes: time.Second}, &chained{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(3, nil), c, &gauge{})
		second := 1100 * time.Millisecond
		a, _ := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, of("b1(")}, arrival{0, of("c1(")},
			arrival{second * 2, of("c2")}, arrival{second, of("b2)")}, arrival{second, of("a2)")}, arrival{second, of("c3)")})
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [- b1 c1] [- - c2] [- b2] [a2] [- - c3]]")
		s.Stop()
	})
}

// Only the next request of the sequence gets a request's state. A START request gets none.
func TestStatesStayApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := &worker{takes: time.Second}, &chained{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(2, oldestOf(4)), c, &gauge{})
		a, _ := sendAll(t, s, ofAll("a1(", "b1(", "a2", "b2", "a3(", "a4)", "b3)")...)
		noErrors(t, a)
		for _, want := range []string{"a1<", "a2<a1", "a3<", "a4<a3", "b1<", "b2<b1", "b3<b2"} {
			found := false
			for _, got := range c.wired {
				found = found || got == want
			}
			if !found {
				t.Errorf("no %s in %v", want, c.wired)
			}
		}
		if len(c.wired) != 7 {
			t.Errorf("wired %v", c.wired)
		}
		s.Stop()
	})
}

// Oldest: at most one request of a sequence is in flight, requests of different sequences form a batch, without
// nulls.
func TestOldestBatchesAcrossSequences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(3, oldestOf(2)), &chained{}, &gauge{})
		a, _ := sendAll(t, s, ofAll("a1(", "a2", "b1(", "c1(", "b2)", "a3)", "c2)")...)
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [a2 b1] [c1 b2] [a3 c2]]")
		s.Stop()
	})
}

func TestOldestWaitsForItsPreferredSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		rules := &sched.Batching{MaxBatch: 4, Preferred: []int64{2}, MaxDelay: delay}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(4, rules), &chained{}, &gauge{})
		_, ended := sendAll(t, s, arrival{0, of("a1(")}, arrival{delay / 3, of("b1(")}, arrival{0, of("c1()")})
		wantRuns(t, w, "[[a1 b1] [c1]]")
		if ended["a1"] != delay/3 || ended["c1"] != delay/3+delay {
			t.Errorf("a ended after %v, c after %v", ended["a1"], ended["c1"])
		}
		s.Stop()
	})
}

// Without a slot a sequence waits as a whole; END frees the slot of the one before.
func TestBacklogIsServedInOrder(t *testing.T) {
	for name, oldest := range map[string]*sched.Batching{"direct": nil, "oldest": oldestOf(4)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &worker{takes: time.Second}
				s := sched.NewSequence([]sched.Executor{w}, sequencing(1, oldest), &chained{}, &gauge{})
				a, _ := sendAll(t, s, ofAll("a1(", "b1(", "c1()", "b2)", "a2", "a3)")...)
				noErrors(t, a)
				wantRuns(t, w, "[[a1] [a2] [a3] [b1] [b2] [c1]]")
				s.Stop()
			})
		})
	}
}

func TestSequencesSpreadOverInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := &worker{takes: time.Second}, &worker{takes: time.Second}
		s := sched.NewSequence([]sched.Executor{first, second}, sequencing(2, nil), &chained{}, &gauge{})
		_, ended := sendAll(t, s, ofAll("a1(", "b1(", "a2)", "b2)")...)
		wantRuns(t, first, "[[a1] [a2]]")
		wantRuns(t, second, "[[b1] [b2]]")
		if ended["b2"] != 2*time.Second {
			t.Errorf("ended after %v", ended["b2"])
		}
		s.Stop()
	})
}

func TestBacklogTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g := &worker{takes: time.Second}, &gauge{}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), &chained{}, g)
		hasty, inSlot := of("b1("), of("a2)")
		hasty.Timeout, inSlot.Timeout = 100*time.Millisecond, 100*time.Millisecond
		a, ended := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, hasty}, arrival{0, of("b2")}, arrival{0, inSlot},
			arrival{200 * time.Millisecond, of("b3")}, arrival{0, of("b4()")})
		for _, id := range []string{"b1", "b2"} {
			err := a.err(id)
			if err == nil || err.Error() != "timeout of the corresponding sequence has been expired" || infer.CodeOf(err) != infer.Unavailable ||
				infer.FateOf(err) != infer.Expired || ended[id] != 100*time.Millisecond {
				t.Errorf("%s: %v after %v", id, err, ended[id])
			}
		}
		if err := a.err("b3"); err == nil || !strings.Contains(err.Error(), "must specify the START flag") {
			t.Errorf("b3: %v: a sequence that expired must start again", err)
		}
		if a.err("a2") != nil || a.err("b4") != nil || g.now.Load() != 0 {
			t.Errorf("a2: %v, b4: %v, %d queued", a.err("a2"), a.err("b4"), g.now.Load())
		}
		s.Stop()
	})
}

// Each request of the backlog has its own deadline; one that passes leaves the others theirs.
func TestBacklogTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sched.NewSequence([]sched.Executor{&worker{takes: time.Second}}, sequencing(1, nil), &chained{}, &gauge{})
		arrivals := []arrival{{0, of("a1()")}}
		want := map[string]time.Duration{"b1": 300 * time.Millisecond, "c1": 100 * time.Millisecond, "d1": 200 * time.Millisecond}
		for _, id := range []string{"b1", "c1", "d1"} {
			r := of(id + "()")
			r.Timeout = want[id]
			arrivals = append(arrivals, arrival{0, r})
		}
		_, ended := sendAll(t, s, arrivals...)
		for id, at := range want {
			if ended[id] != at {
				t.Errorf("%s ended after %v, want %v", id, ended[id], at)
			}
		}
		s.Stop()
	})
}

const noStart = "inference request for sequence a to model 'm' must specify the START flag on the first request of the sequence"

// A step of an ensemble gets the next request of a sequence only after the one before is answered. So its sequence is not idle for
// the time that it waits for a slot.
func TestStepInTheBacklogIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sched.NewSequence([]sched.Executor{&worker{takes: time.Second}}, sequencing(1, nil), &chained{}, &gauge{})
		step := of("b1(")
		step.Step = true
		a, _ := sendAll(t, s, arrival{0, of("a1(")}, arrival{0, step}, arrival{4 * time.Second, of("a2")}, arrival{4 * time.Second, of("a3)")},
			arrival{3 * time.Second, of("b2)")})
		noErrors(t, a)
		s.Stop()
	})
}

// An idle sequence loses its slot to one that waits, and its next request is refused. Seen on Triton 24.10: the time
// counts from the arrival of a request, also while it runs, and the queued requests still run.
func TestIdleSequence(t *testing.T) {
	for name, oldest := range map[string]*sched.Batching{"direct": nil, "oldest": oldestOf(4)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, ms := &worker{takes: time.Second}, time.Millisecond
				rules := sequencing(1, oldest)
				rules.Idle = 500 * ms
				s := sched.NewSequence([]sched.Executor{w}, rules, &chained{}, &gauge{})
				a, ended := sendAll(t, s, arrival{0, of("a1(")}, arrival{400 * ms, of("a2")}, arrival{400 * ms, of("a3")},
					arrival{0, of("b1()")}, arrival{600 * ms, of("a4")})
				for _, id := range []string{"a1", "a2", "a3", "b1"} {
					if a.err(id) != nil {
						t.Errorf("%s: %v", id, a.err(id))
					}
				}
				if err := a.err("a4"); err == nil || err.Error() != noStart || infer.FateOf(err) != infer.TurnedAway {
					t.Errorf("a4: %v", err)
				}
				if ended["b1"] != 4*time.Second {
					t.Errorf("b had its answer after %v", ended["b1"])
				}
			})
		})
	}
}

func TestSequenceRefusals(t *testing.T) {
	s := sched.NewSequence([]sched.Executor{&worker{}}, sequencing(1, nil), &chained{}, &gauge{})
	two, none, long := of("a1("), of("a1("), of("a1(")
	two.Batch, none.Sequence.Name, long.Sequence.Name = 2, "", strings.Repeat("x", 129)
	for want, r := range map[string]*infer.Request{
		"inference request to model 'm' must specify batch-size 1 due to requirements of sequence batcher":               two,
		"inference request to model 'm' must specify a non-zero or non-empty correlation ID":                             none,
		"string correlation ID cannot be longer than 128 characters":                                                     long,
		"inference request for sequence a to model 'm' must specify the START flag on the first request of the sequence": of("a1"),
		"inference request for sequence 5 to model 'm' must specify the START flag on the first request of the sequence": {Sequence: infer.Sequence{ID: 5}},
	} {
		err := s.Infer(t.Context(), r, func(*infer.Response) error { return nil })
		if err == nil || err.Error() != want || infer.FateOf(err) != infer.TurnedAway {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// When a client leaves, its sequence ends and another gets its slot.
func TestCancelEndsTheSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, g, a := &worker{takes: time.Second}, &gauge{}, newAnswers()
		s := sched.NewSequence([]sched.Executor{w}, sequencing(1, nil), &chained{}, g)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, id := range []string{"a1(", "a2", "a3", "b1()"} {
			own := t.Context()
			if id == "a2" {
				own = ctx
			}
			all.Go(func() { a.infer(own, s, of(id)) })
			synctest.Wait()
		}
		cancel()
		all.Wait()
		if infer.CodeOf(a.err("a2")) != infer.Cancelled || infer.CodeOf(a.err("a3")) != infer.Cancelled || a.err("a1") != nil || a.err("b1") != nil {
			t.Errorf("errors = %v", a.errs)
		}
		wantRuns(t, w, "[[a1] [b1]]")
		if g.now.Load() != 0 {
			t.Errorf("%d are still queued", g.now.Load())
		}
		s.Stop()
	})
}

// The direct strategy waits for a share of its slots, and no longer than its delay.
func TestDirectUtilization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, rules := &worker{}, sequencing(4, nil)
		rules.MaxDelay, rules.Utilization = delay, 0.5
		s := sched.NewSequence([]sched.Executor{w}, rules, &chained{}, &gauge{})
		_, ended := sendAll(t, s, arrival{0, of("a1(")}, arrival{delay / 3, of("b1(")}, arrival{0, of("a2)")})
		wantRuns(t, w, "[[a1 b1] [a2]]")
		if ended["a1"] != delay/3 || ended["a2"] != delay/3+delay {
			t.Errorf("a1 ended after %v, a2 after %v", ended["a1"], ended["a2"])
		}
		s.Stop()
	})
}

// A request with another shape than the first of a batch waits for the next batch; a null fills its
// slot.
func TestDirectLeavesOtherShapesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{takes: time.Second}
		s := sched.NewSequence([]sched.Executor{w}, sequencing(3, nil), &chained{}, &gauge{})
		odd := of("b1()")
		odd.Inputs[0].Shape[1] = 7
		a, _ := sendAll(t, s, append(ofAll("a1("), arrival{0, odd}, arrival{0, of("a2)")}, arrival{0, of("c1()")})...)
		noErrors(t, a)
		wantRuns(t, w, "[[a1] [a2 - c1] [- b1]]")
		s.Stop()
	})
}

func TestSequencesUnderLoad(t *testing.T) {
	for name, oldest := range map[string]*sched.Batching{"direct": nil, "oldest": {MaxBatch: 4, MaxDelay: time.Microsecond}} {
		t.Run(name, func(t *testing.T) {
			first, second, g := &worker{}, &worker{}, &gauge{}
			rules := sequencing(3, oldest)
			s := sched.NewSequence([]sched.Executor{first, second}, rules, &chained{}, g)
			a := newAnswers()
			var all sync.WaitGroup
			for client := range 16 {
				all.Go(func() {
					for n := range 30 {
						for i, flags := range []string{"(", "", ")"} {
							r := request(fmt.Sprint(client, "-", n, "-", i), 1)
							r.Sequence = infer.Sequence{ID: uint64(client + 1), Start: flags == "(", End: flags == ")"}
							a.infer(t.Context(), s, r)
						}
					}
				})
			}
			all.Wait()
			noErrors(t, a)
			if len(a.order) != 16*30*3 || g.now.Load() != 0 {
				t.Errorf("%d answers, %d queued", len(a.order), g.now.Load())
			}
			s.Stop()
		})
	}
}

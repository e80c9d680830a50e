package sched_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

// iterating is an instance whose requests run as often as their priority says: the state counts down.
type iterating struct {
	worker
	streams bool // each run sends an answer
	mu      sync.Mutex
	left    map[string]int
	flags   []string // "a 1 true false": the controls of each run
}

func (w *iterating) Execute(_ context.Context, calls []*sched.Call) {
	w.mu.Lock()
	var ids []string
	for _, c := range calls {
		r := c.Request
		ids = append(ids, r.ID)
		if _, known := w.left[r.ID]; !known {
			w.left[r.ID] = int(r.Priority)
		}
		w.left[r.ID]--
		w.flags = append(w.flags, fmt.Sprintf("%s %d %v %v", r.ID, r.Sequence.ID, r.Sequence.Start, r.Sequence.End))
	}
	w.batches = append(w.batches, ids)
	w.mu.Unlock()
	time.Sleep(10 * ms) // a run under a fake clock
	for _, c := range calls {
		id := c.Request.ID
		again := w.left[id] > 0
		switch state := fmt.Sprint(id, w.left[id]); {
		case id == "-":
			c.Respond(&infer.Response{Final: true})
		case again && w.streams:
			c.Respond(&infer.Response{ID: state})
			c.Reschedule(nil)
		case again:
			c.Reschedule(&infer.Response{ID: state})
		default:
			c.Respond(&infer.Response{ID: state, Final: true})
		}
	}
}

// times returns a request that runs n times and has no correlation ID.
func times(id string, n int) *infer.Request {
	r := request(id, 1)
	r.Priority = uint64(n)
	return r
}

func iterative(w sched.Executor, c *chained, change func(*sched.Sequencing)) *sched.Sequence {
	rules := sequencing(2, oldestOf(2))
	rules.Iterative = true
	if change != nil {
		change(&rules)
	}
	return sched.NewSequence([]sched.Executor{w}, rules, c, &gauge{})
}

// A request without a correlation ID gets one; its first run has START, and its later runs have neither START nor
// END, and get the state of the run before. The slot is free when the request has its answer (seen on Triton 24.10).
func TestIterativeSequenceRunsUntilReleased(t *testing.T) {
	for name, runs := range map[string]string{"oldest": "[[a] [b a] [b a] [c]]", "direct": "[[a] [a b] [a b] [c]]"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, c := &iterating{left: map[string]int{}}, &chained{}
				s := iterative(w, c, func(r *sched.Sequencing) {
					if name == "direct" {
						r.Oldest = nil
					}
				})
				a, _ := sendAll(t, s, arrival{0, times("a", 3)}, arrival{0, times("b", 2)}, arrival{0, times("c", 1)})
				noErrors(t, a)
				wantRuns(t, &w.worker, runs)
				slices.Sort(w.flags)
				if got := strings.Join(w.flags, ", "); got != "a 1 false false, a 1 false false, a 1 true false, b 2 false false, b 2 true false, c 3 true false" {
					t.Errorf("told %s", got)
				}
				if got := fmt.Sprint(c.wired); got != "[a< a<a2 b< a<a1 b<b1 c<]" {
					t.Errorf("wired %s", got)
				}
				s.Stop()
			})
		})
	}
}

// A decoupled model may answer in every run; the state may come with an answer.
func TestIterativeSequenceOfADecoupledModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := &iterating{left: map[string]int{}, streams: true}, &chained{}
		s := iterative(w, c, func(*sched.Sequencing) {})
		var got []string
		err := s.Infer(t.Context(), times("a", 3), func(resp *infer.Response) error {
			got = append(got, fmt.Sprint(resp.ID, resp.Final))
			return nil
		})
		if err != nil || fmt.Sprint(got) != "[a2false a1false a0true]" || fmt.Sprint(c.wired) != "[a< a<a2 a<a1]" {
			t.Errorf("answers %v, wired %v, %v", got, c.wired, err)
		}
		s.Stop()
	})
}

// The delay begins again with every run.
func TestIterativeSequenceWaitsForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &iterating{left: map[string]int{}}
		s := iterative(w, &chained{}, func(r *sched.Sequencing) { r.Oldest = &sched.Batching{MaxBatch: 2, MaxDelay: 100 * ms} })
		a, ended := sendAll(t, s, arrival{0, times("a", 3)}, arrival{50 * ms, times("b", 1)})
		noErrors(t, a)
		wantRuns(t, &w.worker, "[[a b] [a] [a]]")
		if ended["a"] != 280*ms {
			t.Errorf("a ended after %v", ended["a"])
		}
		s.Stop()
	})
}

// A client that leaves is noticed before the next run, and the slot is free.
func TestIterativeSequenceCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a := &iterating{left: map[string]int{}}, newAnswers()
		s := iterative(w, &chained{}, func(r *sched.Sequencing) { r.Slots = 1 })
		ctx, cancel := context.WithTimeout(t.Context(), 25*ms)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { a.infer(ctx, s, times("a", 1000)) })
		synctest.Wait()
		all.Go(func() { a.infer(t.Context(), s, times("b", 1)) })
		all.Wait()
		if infer.CodeOf(a.err("a")) != infer.Cancelled || a.err("b") != nil {
			t.Errorf("errors = %v", a.errs)
		}
		wantRuns(t, &w.worker, "[[a] [a] [a] [b]]")
		s.Stop()
	})
}

// A client may name its sequence; it is over with its first request anyway.
func TestIterativeSequenceWithAnIDOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &iterating{left: map[string]int{}}
		s := iterative(w, &chained{}, nil)
		first, second := times("a", 2), times("b", 1)
		first.Sequence, second.Sequence = infer.Sequence{ID: 7, Start: true}, infer.Sequence{ID: 7}
		a, _ := sendAll(t, s, arrival{0, first}, arrival{100 * ms, second})
		if a.err("a") != nil || a.err("b") == nil || !strings.Contains(a.err("b").Error(), "must specify the START flag") {
			t.Errorf("errors = %v", a.errs)
		}
		s.Stop()
	})
}

// A client that happens to give the number of a sequence that has no correlation ID of its own does not come into that sequence.
func TestIterativeSequencesOfOthersAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := &iterating{left: map[string]int{}}, &chained{}
		s := iterative(w, c, nil)
		joins, begins := times("b", 1), times("c", 1)
		joins.Sequence, begins.Sequence = infer.Sequence{ID: 1}, infer.Sequence{ID: 1, Start: true}
		a, ended := sendAll(t, s, arrival{0, times("a", 5)}, arrival{5 * ms, joins}, arrival{15 * ms, begins})
		if a.err("a") != nil || a.err("c") != nil || a.err("b") == nil || !strings.Contains(a.err("b").Error(), "sequence 1 to model 'm' must specify the START flag") {
			t.Errorf("errors = %v", a.errs)
		}
		if got := fmt.Sprint(c.wired); !strings.Contains(got, "c< a<a") || ended["c"] >= ended["a"] {
			t.Errorf("wired %s; c ended after %v, a after %v", got, ended["c"], ended["a"])
		}
		s.Stop()
	})
}

func TestIterativeSequencesUnderLoad(t *testing.T) {
	w, a := &iterating{left: map[string]int{}}, newAnswers()
	s := iterative(w, &chained{}, func(r *sched.Sequencing) { r.Slots = 4 })
	var all sync.WaitGroup
	for client := range 16 {
		all.Go(func() {
			for n := range 3 {
				a.infer(t.Context(), s, times(fmt.Sprint(client, "-", n), 1+n))
			}
		})
	}
	all.Wait()
	noErrors(t, a)
	if len(a.order) != 48 {
		t.Errorf("%d answers", len(a.order))
	}
	s.Stop()
}

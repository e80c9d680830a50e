package sched_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

// deferring is an instance that answers each request after its execution, in the order and number that a test sets.
type deferring struct {
	mu      sync.Mutex // guards what follows
	open    map[string]*sched.Reply
	batches [][]string
	counts  int // requests that counted when their execution ended
	failing bool
}

func newDeferring() *deferring { return &deferring{open: map[string]*sched.Reply{}} }

func (d *deferring) Execute(_ context.Context, calls []*sched.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.Request.ID)
		d.open[c.Request.ID] = c.Later()
		if d.failing {
			d.open[c.Request.ID].Failing()
		}
		if c.Took(infer.Timings{Infer: time.Millisecond}) {
			d.counts++
		}
	}
	d.batches = append(d.batches, ids)
}

func (d *deferring) reply(id string) *sched.Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[id]
}

func (d *deferring) executed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Sprint(d.batches)
}

// heard is what a client received.
type heard struct {
	mu   sync.Mutex // guards what follows
	text string
	over bool
}

func (h *heard) sink(name string) infer.Sink {
	return func(r *infer.Response) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.over {
			panic("a response comes after the end")
		}
		h.text += name + r.ID
		if r.Final {
			h.text += "."
		}
		return nil
	}
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text
}

func schedulers(e sched.Executor) map[string]infer.Handler {
	return map[string]infer.Handler{
		"direct":   sched.NewDirect([]sched.Executor{e}, &gauge{}),
		"dynamic":  sched.NewDynamic([]sched.Executor{e}, sched.Batching{MaxBatch: 4}, &gauge{}),
		"sequence": sched.NewSequence([]sched.Executor{e}, sched.Sequencing{Model: "m", Slots: 4, Oldest: &sched.Batching{MaxBatch: 4}}, &chained{}, &gauge{}),
	}
}

func begins(id string) *infer.Request {
	r := request(id, 1)
	r.Sequence = infer.Sequence{Name: id, Start: true, End: true}
	return r
}

// Answers come after the execution, from any goroutine, many for one request, in any order of requests. The instance
// runs others meanwhile.
func TestAnswersAfterTheExecution(t *testing.T) {
	for _, name := range []string{"direct", "dynamic", "sequence"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDeferring()
				h, got, a := schedulers(d)[name], &heard{}, newAnswers()
				var all sync.WaitGroup
				for _, id := range []string{"a", "b"} {
					all.Go(func() {
						err := h.Infer(t.Context(), begins(id), got.sink(id))
						a.mu.Lock()
						defer a.mu.Unlock()
						a.errs[id] = err
					})
					synctest.Wait()
				}
				if d.executed() != "[[a] [b]]" || d.counts != 2 {
					t.Fatalf("executed %s, %d counted: an instance waits for an answer", d.executed(), d.counts)
				}
				b, first := d.reply("b"), d.reply("a")
				_ = b.Send(&infer.Response{ID: "1"})
				_ = first.Send(&infer.Response{ID: "1"})
				_ = b.Send(&infer.Response{ID: "2", Final: true})
				synctest.Wait()
				_ = first.Send(&infer.Response{ID: "2"})
				first.Fail(errors.New("broke"))
				all.Wait()
				if got.String() != "b1a1b2.a2" || a.err("b") != nil || a.err("a").Error() != "broke" || infer.FateOf(a.err("a")) != infer.Answered {
					t.Errorf("got %s, errors %v", got, a.errs)
				}
				if err := b.Send(&infer.Response{ID: "3"}); err == nil || b.Context().Err() == nil {
					t.Error("a request that has ended takes answers")
				}
			})
		})
	}
}

// A request that fails counts as a failure, however late the error is passed on.
func TestFailingBeforeTheExecutionEnds(t *testing.T) {
	for _, name := range []string{"direct", "dynamic", "sequence"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDeferring()
				d.failing = true
				ended := make(chan error, 1)
				go func() {
					ended <- schedulers(d)[name].Infer(t.Context(), begins("a"), func(*infer.Response) error { return nil })
				}()
				synctest.Wait()
				d.reply("a").Fail(errors.New("broke"))
				if err := <-ended; d.counts != 0 || infer.FateOf(err) == infer.Answered {
					t.Errorf("%d counted as successes, the end is %v (%v)", d.counts, err, infer.FateOf(err))
				}
			})
		})
	}
}

// A late answer for a client that has left is dropped, and its memory is freed.
func TestLateAnswerOfACancelledRequest(t *testing.T) {
	for _, name := range []string{"direct", "dynamic", "sequence"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, got := newDeferring(), &heard{}
				h := schedulers(d)[name]
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() {
					err := h.Infer(ctx, begins("a"), got.sink("a"))
					got.mu.Lock()
					got.over = true
					got.mu.Unlock()
					ended <- err
				}()
				synctest.Wait()
				p := d.reply("a")
				_ = p.Send(&infer.Response{ID: "1"})
				cancel()
				if err := <-ended; infer.CodeOf(err) != infer.Cancelled || infer.FateOf(err) != infer.Answered {
					t.Errorf("ended with %v", err)
				}
				freed := 0
				for _, final := range []bool{false, true, true} {
					if err := p.Send(&infer.Response{ID: "2", Final: final, Release: func() { freed++ }}); err == nil {
						t.Error("an answer was taken")
					}
				}
				p.Fail(errors.New("too late"))
				if freed != 3 || got.String() != "a1" || p.Context().Err() == nil {
					t.Errorf("%d freed, got %s", freed, got)
				}
			})
		})
	}
}

// An answer that cannot be passed on ends its request with the error, also where the backend neither goes on nor tells of the end.
func TestAnswerThatCannotBePassedOn(t *testing.T) {
	for _, name := range []string{"direct", "dynamic", "sequence"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, ended := newDeferring(), make(chan error, 1)
				lost := &infer.Error{Code: infer.Unavailable, Message: "it does not fit", Fate: infer.TurnedAway}
				h := schedulers(d)[name]
				go func() { ended <- h.Infer(t.Context(), begins("a"), func(*infer.Response) error { return lost }) }()
				synctest.Wait()
				p := d.reply("a")
				if err := p.Send(&infer.Response{ID: "1"}); !errors.Is(err, lost) {
					t.Errorf("the backend is told %v", err)
				}
				synctest.Wait()
				select {
				case err := <-ended:
					if err.Error() != lost.Message || infer.CodeOf(err) != lost.Code || infer.FateOf(err) == infer.TurnedAway {
						t.Errorf("ended with %v", err)
					}
				default:
					t.Error("the request goes on")
					p.Fail(lost)
				}
				if p.Context().Err() == nil {
					t.Error("the backend is not told of the end")
				}
			})
		})
	}
}

// When a client leaves while a response is being passed on, Infer does not return before the sink
// has returned.
func TestCancelWhileAnAnswerIsHandedOn(t *testing.T) {
	d := newDeferring()
	ctx, cancel := context.WithCancel(t.Context())
	entered, left := make(chan struct{}), false
	executed := executorFunc(func(calls []*sched.Call) {
		d.Execute(ctx, calls)
		go func() { _ = d.reply("a").Send(&infer.Response{}) }()
		<-entered
	})
	h := sched.NewDirect([]sched.Executor{executed}, &gauge{})
	err := h.Infer(ctx, request("a", 1), func(*infer.Response) error {
		close(entered)
		cancel()
		for range 1000 {
			runtime.Gosched() // a goroutine that does not wait is done by now
		}
		left = true
		return nil
	})
	if infer.CodeOf(err) != infer.Cancelled || !left {
		t.Errorf("ended with %v, its sink left: %v", err, left)
	}
}

// Where answers are ordered, those after the execution are too.
func TestLateAnswersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, got := newDeferring(), &heard{}
		h := sched.NewDynamic([]sched.Executor{d}, sched.Batching{MaxBatch: 4, Ordered: true}, &gauge{})
		var all sync.WaitGroup
		for _, id := range []string{"a", "b"} {
			all.Go(func() {
				if err := h.Infer(t.Context(), request(id, 1), got.sink(id)); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		_ = d.reply("b").Send(&infer.Response{ID: "1"})
		_ = d.reply("b").Send(&infer.Response{ID: "2", Final: true})
		_ = d.reply("a").Send(&infer.Response{ID: "1"})
		synctest.Wait()
		if got.String() != "a1" {
			t.Errorf("before a's end came %s", got)
		}
		_ = d.reply("a").Send(&infer.Response{ID: "2", Final: true})
		all.Wait()
		if got.String() != "a1a2.b1b2." {
			t.Errorf("got %s", got)
		}
	})
}

// A kept answer that cannot be passed on in its turn ends its request too.
func TestKeptAnswerThatCannotBePassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, got, lost, ended := newDeferring(), &heard{}, errors.New("it does not fit"), make(chan error, 1)
		h := sched.NewDynamic([]sched.Executor{d}, sched.Batching{MaxBatch: 4, Ordered: true}, &gauge{})
		go func() { _ = h.Infer(t.Context(), request("a", 1), got.sink("a")) }()
		synctest.Wait()
		go func() {
			ended <- h.Infer(t.Context(), request("b", 1), func(*infer.Response) error { return lost })
		}()
		synctest.Wait()
		b := d.reply("b")
		_ = b.Send(&infer.Response{ID: "1"})
		_ = d.reply("a").Send(&infer.Response{ID: "1", Final: true})
		synctest.Wait()
		select {
		case err := <-ended:
			if !errors.Is(err, lost) || b.Context().Err() == nil {
				t.Errorf("ended with %v; the backend is told: %v", err, b.Context().Err() != nil)
			}
		default:
			t.Error("the request goes on")
			b.Fail(lost)
		}
	})
}

// talking is an instance that hangs, and sends before and after it was given up.
type talking struct{ free chan struct{} }

func (s *talking) Execute(_ context.Context, calls []*sched.Call) {
	<-s.free
	for _, c := range calls {
		c.Respond(&infer.Response{ID: "1"})
		p := c.Later()
		_ = p.Send(&infer.Response{ID: "2"})
		_ = p.Send(&infer.Response{ID: "3", Final: true})
	}
}

// An instance that was given up cannot send to clients that were already answered.
func TestAnswersOfAnInstanceThatWasGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &talking{free: make(chan struct{})}
		h := sched.NewDynamic([]sched.Executor{s}, sched.Batching{MaxBatch: 2, MaxDelay: time.Second}, &gauge{})
		var all sync.WaitGroup
		got := map[string]*heard{"a": {}, "b": {}}
		for _, id := range []string{"a", "b"} {
			all.Go(func() {
				_ = h.Infer(t.Context(), request(id, 1), got[id].sink(""))
				got[id].mu.Lock()
				got[id].over = true
				got[id].mu.Unlock()
			})
			synctest.Wait()
		}
		h.GiveUp(s, errLost)
		synctest.Wait()
		close(s.free)
		all.Wait()
		if got["a"].String() != "" || got["b"].String() != "123." {
			t.Errorf("a got %s, b, which is in it, got %s", got["a"], got["b"])
		}
	})
}

// A sequence keeps the state of a late answer, and a slot is free when the execution has ended.
func TestStateOfALateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newDeferring(), &chained{}
		h := sched.NewSequence([]sched.Executor{d}, sched.Sequencing{Model: "m", Slots: 1, Oldest: &sched.Batching{MaxBatch: 4}}, c, &gauge{})
		var all sync.WaitGroup
		for i, id := range []string{"a", "b", "c"} {
			all.Go(func() {
				r := request(id, 1)
				r.Sequence = infer.Sequence{ID: 7, Start: i == 0, End: i == 2}
				_ = h.Infer(t.Context(), r, ignore)
			})
			synctest.Wait()
			_ = d.reply(id).Send(&infer.Response{ID: "state of " + id, Final: i != 1})
		}
		_ = d.reply("b").Send(&infer.Response{Final: true})
		all.Wait()
		if got := fmt.Sprint(c.wired); got != "[a< b<state of a c<state of b]" {
			t.Errorf("wired %s", got)
		}
	})
}

// half is an instance that hangs. The client of one of its requests is sent an answer meanwhile; the others are answered at the end.
type half struct {
	slow int // the index of the one
	free chan struct{}
}

func (h *half) Execute(_ context.Context, calls []*sched.Call) {
	p := calls[h.slow].Later()
	go func() { _ = p.Send(&infer.Response{}) }()
	<-h.free
	for i, c := range calls {
		if i != h.slow {
			c.Respond(&infer.Response{Final: true})
		}
	}
}

// When an instance that was given up returns after all, its batch ends although a client of the batch does not read.
func TestGivenUpInstanceWaitsForNoClient(t *testing.T) {
	together := sequencing(2, nil)
	together.MaxDelay, together.Utilization = time.Second, 1
	for name, c := range map[string]struct {
		slow int // the other one runs the batch
		over func(e sched.Executor) givenUp
	}{
		"dynamic": {0, func(e sched.Executor) givenUp {
			return sched.NewDynamic([]sched.Executor{e}, sched.Batching{MaxBatch: 2, MaxDelay: time.Second}, &gauge{})
		}},
		"sequence": {1, func(e sched.Executor) givenUp {
			return sched.NewSequence([]sched.Executor{e}, together, &chained{}, &gauge{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &half{c.slow, make(chan struct{})}
				s, reads := c.over(e), make(chan struct{})
				ended := make(chan error, 2)
				for _, id := range []string{"a1(", "b1("} {
					go func() {
						ended <- s.Infer(t.Context(), of(id), func(r *infer.Response) error {
							if !r.Final {
								<-reads
							}
							return nil
						})
					}()
					synctest.Wait()
				}
				s.GiveUp(e, errLost)
				close(e.free)
				synctest.Wait()
				select {
				case err := <-ended:
					if err != nil {
						t.Errorf("the one that was in it: %v", err)
					}
				default:
					t.Error("it waits for a client of another request")
				}
				close(reads)
				if err := <-ended; !errors.Is(err, errLost) {
					t.Errorf("the one whose client did not read: %v", err)
				}
				if s, ok := s.(interface{ Stop() }); ok {
					s.Stop()
				}
			})
		})
	}
}

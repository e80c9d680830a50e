package sched_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

// stuck is an instance whose execution does not return until it is freed.
type stuck struct {
	free chan struct{}
	ran  [][]string
}

func newStuck() *stuck { return &stuck{free: make(chan struct{})} }

func (s *stuck) Execute(_ context.Context, calls []*sched.Call) {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.Request.ID)
	}
	s.ran = append(s.ran, ids)
	<-s.free
	for _, c := range calls {
		c.Respond(&infer.Response{Final: true})
	}
}

var errLost = errors.New("lost")

// When an instance is lost, the requests of its batch are answered, except c, whose goroutine runs the batch. The
// queue goes on with another instance. When there is none, the queued requests are answered too.
func TestGiveUp(t *testing.T) {
	for name, c := range map[string]struct {
		others int
		rules  sched.Batching
		lost   string // ids
	}{
		"the only one":    {0, sched.Batching{MaxBatch: 3, MaxDelay: time.Second}, "[a b d]"},
		"one of two":      {1, sched.Batching{MaxBatch: 3, MaxDelay: time.Second}, "[a b]"},
		"ordered answers": {1, sched.Batching{MaxBatch: 3, MaxDelay: time.Second, Ordered: true}, "[a b]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w, a, g := newStuck(), &worker{takes: 100 * time.Second}, newAnswers(), &gauge{}
				executors := []sched.Executor{s}
				if c.others > 0 {
					executors = []sched.Executor{w, s} // the last is taken first
				}
				d := sched.NewDynamic(executors, c.rules, g)
				var all sync.WaitGroup
				for _, id := range []string{"a", "b", "c", "d"} {
					all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
					synctest.Wait()
				}
				time.Sleep(10 * time.Second)
				d.GiveUp(s, errLost)
				synctest.Wait()
				if got := lostOf(a); got != c.lost {
					t.Errorf("%s are lost, want %s", got, c.lost)
				}
				time.Sleep(200 * time.Second)
				if c.others > 0 {
					wantBatches(t, w, []string{"d"})
				} else if err := d.Infer(t.Context(), request("later", 1), ignore); !errors.Is(err, errLost) {
					t.Errorf("a request that comes later: %v", err)
				}
				close(s.free)
				all.Wait()
				if a.err("c") != nil || g.now.Load() != 0 {
					t.Errorf("the one that was in it: %v; %d still queued", a.err("c"), g.now.Load())
				}
			})
		})
	}
}

func lostOf(a *answers) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var lost []string
	for _, id := range []string{"a", "b", "c", "d"} {
		if errors.Is(a.errs[id], errLost) {
			lost = append(lost, id)
		}
	}
	return fmt.Sprint(lost)
}

func TestGiveUpDirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, g := newStuck(), newAnswers(), &gauge{}
		d := sched.NewDirect([]sched.Executor{s}, g)
		var all sync.WaitGroup
		for _, id := range []string{"a", "b"} {
			all.Go(func() { a.infer(t.Context(), d, request(id, 1)) })
			synctest.Wait()
		}
		d.GiveUp(s, errLost)
		synctest.Wait()
		if got := lostOf(a); got != "[b]" || g.now.Load() != 0 {
			t.Errorf("%s are lost, want b; %d still queued", got, g.now.Load())
		}
		close(s.free)
		all.Wait()
	})
}

// A lost instance does not keep its resources of the rate limiter.
func TestGiveUpUnderRateLimiter(t *testing.T) {
	for name, over := range map[string]func(e sched.Executor) givenUp{
		"dynamic": func(e sched.Executor) givenUp { return single(e) },
		"sequence": func(e sched.Executor) givenUp {
			return sched.NewSequence([]sched.Executor{sched.InTurn(e)}, sequencing(1, nil), &chained{}, &gauge{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := sched.NewLimiter(nil)
				license, err := l.Register(needs("R", 1))
				if err != nil {
					t.Fatal(err)
				}
				s := newStuck()
				hung := inLicense{s, license}
				first, second := over(hung), single(licensed(t, l, needs("R", 1)))
				var all sync.WaitGroup
				start(t, &all, first, begins("a"))
				start(t, &all, second, request("b", 1))
				first.GiveUp(hung, errLost)
				queueUp(t, second, request("c", 1))
				close(s.free)
				all.Wait()
				queueUp(t, second, request("d", 1)) // what the lost one held came back once
			})
		})
	}
}

// givenUp is a scheduler that may lose an instance.
type givenUp interface {
	infer.Handler
	GiveUp(e sched.Executor, err error)
}

// inLicense puts any executor under a license.
type inLicense struct {
	sched.Executor
	license *sched.License
}

func (l inLicense) License() *sched.License { return l.license }

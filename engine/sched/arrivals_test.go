package sched_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
)

// A request that tells that it is queued runs before those that come then, also where telling takes long.
func TestQueuedRunsInOrder(t *testing.T) {
	for what, with := range map[string]func() infer.Handler{
		"direct":            func() infer.Handler { return sched.NewDirect([]sched.Executor{&worker{takes: time.Second}}, &gauge{}) },
		"an eager executor": func() infer.Handler { return sched.NewDirect([]sched.Executor{newEagerWorker(2)}, &gauge{}) },
		"dynamic": func() infer.Handler {
			return sched.NewDynamic([]sched.Executor{&worker{takes: time.Second}}, sched.Batching{MaxBatch: 1}, &gauge{})
		},
		"a sequence": func() infer.Handler {
			return sched.NewSequence([]sched.Executor{&worker{takes: time.Second}}, sequencing(1, nil), &chained{}, &gauge{})
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { inOrder(t, with()) })
		})
	}
}

func inOrder(t *testing.T, scheduler infer.Handler) {
	a := newAnswers()
	var all sync.WaitGroup
	var want []string
	before := make(chan struct{})
	close(before)
	for i := range 20 {
		r, queued := request(fmt.Sprint(i), 1), make(chan struct{})
		r.Sequence = infer.Sequence{ID: 7, Start: i == 0}
		want = append(want, r.ID)
		tell := sync.OnceFunc(func() {
			close(queued)
			time.Sleep(time.Millisecond) // the next one could overtake it now
		})
		r.Queued = tell
		wait := before
		all.Go(func() {
			<-wait
			a.infer(t.Context(), scheduler, r)
			tell()
		})
		before = queued
	}
	all.Wait()
	noErrors(t, a)
	if !slices.Equal(a.order, want) {
		t.Errorf("answered in the order %v", a.order)
	}
}

// A request that leaves before its turn, since its client goes away, lets nobody overtake those before it.
func TestLeavingEarlyKeepsTheOrder(t *testing.T) {
	for what, with := range map[string]func() infer.Handler{
		"direct":            func() infer.Handler { return sched.NewDirect([]sched.Executor{&worker{takes: time.Second}}, &gauge{}) },
		"an eager executor": func() infer.Handler { return sched.NewDirect([]sched.Executor{newEagerWorker(2)}, &gauge{}) },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { leaving(t, with()) })
		})
	}
}

func leaving(t *testing.T, scheduler infer.Handler) {
	a := newAnswers()
	var all sync.WaitGroup
	var want []string
	leave := func() {}
	for i := range 20 {
		r, ctx := request(fmt.Sprint(i), 1), t.Context()
		r.Queued = func() {}
		if i == 12 {
			var gone context.Context
			gone, leave = context.WithCancel(ctx)
			ctx = gone
		} else {
			want = append(want, r.ID)
		}
		all.Go(func() { a.infer(ctx, scheduler, r) })
		synctest.Wait()
	}
	leave()
	all.Wait()
	answered := slices.DeleteFunc(slices.Clone(a.order), func(id string) bool { return id == "12" })
	if !slices.Equal(answered, want) {
		t.Errorf("answered in the order %v", a.order)
	}
}

// A request that asks for no order does not overtake those that wait for theirs.
func TestOthersWaitBehindThoseInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, a := sched.NewDirect([]sched.Executor{&worker{takes: time.Second}}, &gauge{}), newAnswers()
		var all sync.WaitGroup
		for _, id := range []string{"s0", "s1", "s2", "u"} {
			r := request(id, 1)
			if id != "u" {
				r.Queued = func() {}
			}
			all.Go(func() { a.infer(t.Context(), d, r) })
			synctest.Wait()
		}
		all.Wait()
		if want := []string{"s0", "s1", "s2", "u"}; !slices.Equal(a.order, want) {
			t.Errorf("answered in the order %v, want %v", a.order, want)
		}
	})
}

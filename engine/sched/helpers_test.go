package sched_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// worker is an instance that takes a while and records its batches.
type worker struct {
	takes time.Duration
	fail  error

	mu      sync.Mutex // guards what follows
	batches [][]string // ids, by execution
	busy    bool
}

func (w *worker) Execute(_ context.Context, calls []*sched.Call) {
	w.mu.Lock()
	if w.busy {
		panic("two executions at a time on one instance")
	}
	w.busy = true
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.Request.ID)
	}
	w.batches = append(w.batches, ids)
	w.mu.Unlock()
	time.Sleep(w.takes) // what an execution costs, under a fake clock
	for _, c := range calls {
		if w.fail != nil {
			c.Fail(w.fail)
		} else {
			c.Respond(&infer.Response{ID: c.Request.ID, Final: true})
		}
		c.Took(infer.Timings{Infer: w.takes})
	}
	w.mu.Lock()
	w.busy = false
	w.mu.Unlock()
}

type gauge struct{ now, high atomic.Int64 }

func (g *gauge) Queued(delta int64) {
	n := g.now.Add(delta)
	for high := g.high.Load(); n > high && !g.high.CompareAndSwap(high, n); high = g.high.Load() {
	}
}

func request(id string, batch int64) *infer.Request {
	return &infer.Request{ID: id, Batch: batch, Inputs: []tensor.Tensor{
		{Name: "IN", Type: tensor.FP32, Shape: tensor.Shape{batch, 2}},
	}}
}

// answers are the results of requests, in the order in which they ended.
type answers struct {
	mu     sync.Mutex
	order  []string
	errs   map[string]error
	queued map[string]time.Duration
}

func newAnswers() *answers {
	return &answers{errs: map[string]error{}, queued: map[string]time.Duration{}}
}

func (a *answers) infer(ctx context.Context, h infer.Handler, r *infer.Request) {
	var queue time.Duration
	err := h.Infer(ctx, r, func(resp *infer.Response) error {
		queue = resp.Timings.Queue
		return nil
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.order = append(a.order, r.ID)
	a.errs[r.ID] = err
	a.queued[r.ID] = queue
}

func (a *answers) err(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.errs[id]
}

func noErrors(t *testing.T, a *answers) {
	t.Helper()
	for id, err := range a.errs {
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

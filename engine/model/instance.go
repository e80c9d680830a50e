package model

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/sched"
)

// instance is a backend's instance as schedulers see it. What it keeps between executions is reused, so that
// a request costs no memory here.
type instance struct {
	name      string
	model     string
	backend   backend.Instance
	counters  *metrics.Counters
	decoupled bool
	passive   bool   // it gets no requests
	signature string // of its group
	at        backend.Device
	log       *slog.Logger
	license   *sched.License // nil without a rate limiter, or when it needs nothing
	calling   bool           // it may call other models
	models    infer.Handler  // by which it does

	revival *revival // nil for an instance that cannot die
	open    replies  // requests whose answers come after their execution
	shown   atomic.Pointer[backend.Instance]
	began   atomic.Int64 // of the execution at hand, in Unix time; 0 when there is none
	longest atomic.Int64 // execution so far

	// mu guards what follows, and the backend's instance: while instance groups change in place, the schedulers of two
	// versions may give it work.
	mu       sync.Mutex
	batch    *backend.Batch
	calls    []*sched.Call
	requests []*infer.Request
	caller   *infer.Caller // the execution, where it may call other models
	number   uint64        // of the execution, once a trace has asked for it
	respond  func(i int, r *infer.Response)
	fail     func(i int, err error)
}

var (
	_ sched.Executor = (*instance)(nil)
	_ sched.Limited  = (*instance)(nil)
)

func newInstance(name string, b backend.Instance, counters *metrics.Counters) *instance {
	in := &instance{name: name, backend: b, counters: counters}
	in.shown.Store(&b)
	in.respond = func(i int, r *infer.Response) {
		r.Final = r.Final || !in.decoupled
		in.calls[i].Respond(r)
	}
	in.fail = func(i int, err error) { in.calls[i].Fail(err) }
	in.batch = backend.NewBatch(nil, in.respond, in.fail)
	in.batch.OnLater(func(i int) backend.Responder { return in.open.add(in.calls[i].Later(), in) })
	return in
}

// running says since when an execution runs, zero when none does, and how long the longest was that came back.
func (in *instance) running() (since time.Time, longest time.Duration) {
	if began := in.began.Load(); began != 0 {
		since = time.Unix(0, began)
	}
	return since, time.Duration(in.longest.Load())
}

// License is what the rate limiter lets the instance run under.
func (in *instance) License() *sched.License { return in.license }

// part is the backend's part of the instance; unlike the field it may be read while an execution runs.
func (in *instance) part() backend.Instance { return *in.shown.Load() }

// use gives the instance another part of the backend.
func (in *instance) use(b backend.Instance) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.backend = b
	in.shown.Store(&b)
	if c, ok := b.(backend.Caller); ok {
		c.Calls(in.models)
	}
}

// close frees the instance, which runs no more.
func (in *instance) close() error {
	in.revival.stop()
	if in.license != nil {
		in.license.Close()
	}
	return in.backend.Close()
}

// Execute runs the calls as one batch and counts the execution, also when it fails
// (docs/triton/metrics.md, "What counts as what").
func (in *instance) Execute(ctx context.Context, calls []*sched.Call) {
	in.mu.Lock()
	defer in.mu.Unlock()
	items := int64(0)
	in.number = 0
	in.calls, in.requests = calls, in.requests[:0]
	for _, c := range calls {
		in.requests = append(in.requests, c.Request)
		items += max(c.Request.Batch, 1)
	}
	batch := in.batch
	batch.Reset(in.requests)
	batch.Start()
	in.began.Store(batch.Started().UnixNano())
	if in.calling {
		of, end := in.begins(ctx, calls)
		in.run(of, batch)
		end()
	} else {
		in.run(ctx, batch)
	}
	now := time.Now()
	in.began.Store(0)
	in.longest.Store(max(in.longest.Load(), int64(now.Sub(batch.Started()))))
	var t infer.Timings
	t.Input, t.Infer, t.Output = batch.Stages(now)
	in.counters.Executed(items, t)
	for _, c := range calls {
		if c.Took(t) || c.Again() { // an answer may come later; each run of an iterative sequence counts
			t := t
			t.Queue, t.Total = c.Queue, c.Queue+now.Sub(batch.Started())
			in.counters.Succeeded(c.Request.Batch, t)
		}
		if c.Request.Trace != nil {
			in.trace(c.Request.Trace, batch.Started(), t)
		}
	}
	in.calls = nil
	clear(in.requests)
}

// executions numbers the executions of traced requests.
var executions atomic.Uint64

// trace tells a request what it was run with. in.mu is held.
func (in *instance) trace(to *infer.Trace, began time.Time, t infer.Timings) {
	e := infer.Execution{Instance: in.name, Number: in.number, Start: began, Timings: t}
	if e.Number == 0 {
		e.Number = executions.Add(1)
		in.number = e.Number
	}
	for _, r := range in.requests {
		e.Requests = append(e.Requests, r.ID)
		e.Items += max(r.Batch, 1)
	}
	to.Ran(e)
}

// run executes the batch. A panic in a backend is its own failure, not the engine's.
func (in *instance) run(ctx context.Context, batch *backend.Batch) {
	defer func() {
		if fault := recover(); fault != nil {
			in.log.Error("the backend panicked", "instance", in.name, "fault", fault, "stack", string(debug.Stack()))
			batch.FailAll(infer.Errorf(infer.Internal, "model instance %s failed: %v", in.name, fault))
		}
	}()
	in.backend.Execute(ctx, batch)
}

package model

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"conch/engine/backend"
	"conch/engine/guarded"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/sched"
)

// instance is a backend's instance as schedulers see it.
type instance struct {
	name      string
	model     string
	decoupled bool
	passive   bool   // it gets no requests
	signature string // of its group
	at        backend.Device
	policy    hostpolicy.Policy // what its executions are bound to
	log       *slog.Logger
	license   *sched.License // nil without a rate limiter, or when it needs nothing
	calling   bool           // it may call other models
	models    infer.Handler  // runs the calls
	graph     *CallGraph     // knows them

	revival *revival // nil for an instance that cannot die
	open    replies  // requests whose answers come after their execution
	shown   atomic.Pointer[backend.Instance]
	began   atomic.Int64 // when the current execution began, in Unix time; 0 when there is none
	longest atomic.Int64 // execution so far

	// work is locked while an execution runs, and while the backend's part is replaced: while instance groups change in
	// place, the schedulers of two versions may use the instance.
	work guarded.Value[execution]
}

// execution runs one batch. What it needs is reused, so that a request allocates nothing here.
type execution struct {
	in       *instance
	counters *metrics.Counters
	batch    *backend.Batch
	calls    []*sched.Call
	requests []*infer.Request
	caller   *infer.Caller // where the instance may call other models
	number   uint64        // of the execution; 0 until a trace asks for it
}

var (
	_ sched.Executor = (*instance)(nil)
	_ sched.Limited  = (*instance)(nil)
)

func newInstance(name string, b backend.Instance, counters *metrics.Counters) *instance {
	in := &instance{name: name}
	in.shown.Store(&b)
	e := in.work.Lock()
	defer in.work.Unlock()
	// The functions run only while the instance executes, and so holds the lock.
	e.in, e.counters = in, counters
	e.batch = backend.NewBatch(nil, e.respond, func(i int, err error) { e.calls[i].Fail(err) })
	e.batch.OnLater(func(i int) backend.Responder { return in.open.add(e.calls[i].Later(), in.decoupled, e.caller) })
	return in
}

// mayReschedule lets the backend run requests again (iterative_sequence).
func (in *instance) mayReschedule() {
	e := in.work.Lock()
	defer in.work.Unlock()
	e.batch.OnReschedule(func(i int, state *infer.Response) { e.calls[i].Reschedule(state) })
}

// countIn makes executions count in other counters.
func (in *instance) countIn(counters *metrics.Counters) {
	e := in.work.Lock()
	defer in.work.Unlock()
	e.counters = counters
}

// running returns when the current execution began, zero when none runs, and the duration of the longest that returned.
func (in *instance) running() (since time.Time, longest time.Duration) {
	if began := in.began.Load(); began != 0 {
		since = time.Unix(0, began)
	}
	return since, time.Duration(in.longest.Load())
}

// License returns the rate limiter's license for the instance.
func (in *instance) License() *sched.License { return in.license }

// part returns the backend's part of the instance, also while an execution runs.
func (in *instance) part() backend.Instance { return *in.shown.Load() }

// use replaces the backend's part of the instance.
func (in *instance) use(b backend.Instance) {
	in.work.Lock()
	defer in.work.Unlock()
	in.shown.Store(&b)
	if c, ok := b.(backend.Caller); ok {
		c.Calls(in.models)
	}
}

// close frees the instance. No execution runs any more.
func (in *instance) close() error {
	in.revival.stop()
	if in.license != nil {
		in.license.Close()
	}
	return in.part().Close()
}

// Execute runs the calls as one batch and counts the execution, also when it fails
// (docs/triton/metrics.md, "What counts as what").
func (in *instance) Execute(ctx context.Context, calls []*sched.Call) {
	e := in.work.Lock()
	defer in.work.Unlock()
	e.run(ctx, calls)
}

func (e *execution) respond(i int, r *infer.Response) {
	r.Final = r.Final || !e.in.decoupled
	e.calls[i].Respond(r)
}

func (e *execution) run(ctx context.Context, calls []*sched.Call) {
	e.number = 0
	e.calls, e.requests = calls, e.requests[:0]
	items := int64(0)
	for _, c := range calls {
		e.requests = append(e.requests, c.Request)
		items += max(c.Request.Batch, 1)
	}
	e.batch.Reset(e.requests)
	e.batch.Start()
	began := e.batch.Started()
	e.in.began.Store(began.UnixNano())
	if e.in.calling {
		of, end := e.begins(ctx)
		e.runBackend(of)
		end()
	} else {
		e.runBackend(ctx)
	}
	now := time.Now()
	e.in.began.Store(0)
	e.in.longest.Store(max(e.in.longest.Load(), int64(now.Sub(began))))
	e.count(items, now)
	e.calls = nil
	clear(e.requests)
}

// count counts an execution that has ended, and the requests that have no answer yet.
func (e *execution) count(items int64, now time.Time) {
	began := e.batch.Started()
	var t infer.Timings
	t.Input, t.Infer, t.Output = e.batch.Stages(now)
	e.counters.Executed(items, t)
	for _, c := range e.calls {
		if c.Took(t) || c.Again() { // an answer may come later; each run of an iterative sequence counts
			t := t
			t.Queue, t.Total = c.Queue, c.Queue+now.Sub(began)
			e.counters.Succeeded(c.Request.Batch, t)
		}
		if c.Request.Trace != nil {
			e.trace(c.Request.Trace, began, t)
		}
	}
}

// executions numbers the executions of traced requests.
var executions atomic.Uint64

// trace adds the execution to a request's trace, with the requests that ran in the same batch.
func (e *execution) trace(to *infer.Trace, began time.Time, t infer.Timings) {
	if e.number == 0 {
		e.number = executions.Add(1)
	}
	ran := infer.Execution{Instance: e.in.name, Number: e.number, Start: began, Timings: t}
	for _, r := range e.requests {
		ran.Requests = append(ran.Requests, r.ID)
		ran.Items += max(r.Batch, 1)
	}
	to.Ran(ran)
}

// runBackend executes the batch on a thread that is bound as the instance is.
func (e *execution) runBackend(ctx context.Context) {
	if e.in.policy.Name == "" {
		e.runHere(ctx)
		return
	}
	if err := e.in.policy.Do(func() { e.runHere(ctx) }); err != nil {
		e.batch.FailAll(err)
	}
}

// runHere executes the batch. A panic in a backend fails the batch, not the engine.
func (e *execution) runHere(ctx context.Context) {
	defer func() {
		if fault := recover(); fault != nil {
			e.in.log.Error("the backend panicked", "instance", e.in.name, "fault", fault, "stack", string(debug.Stack()))
			e.batch.FailAll(infer.Errorf(infer.Internal, "model instance %s failed: %v", e.in.name, fault))
		}
	}()
	e.in.part().Execute(ctx, e.batch)
}

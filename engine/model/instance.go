package model

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/backend"
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
	began   atomic.Int64 // when the current execution began, in Unix time in nanoseconds; 0 when there is none
	longest atomic.Int64 // execution so far that was not stopped
	stopped atomic.Int64 // when the execution began that an unload has interrupted
	taken   atomic.Int64 // batches that are in an eager instance

	sequences bool // its requests belong to sequences
	ahead     int  // executions that it takes beside the one that runs (backend.Eager)
	again     bool // its model runs requests again (iterative_sequence)
	counters  atomic.Pointer[metrics.Counters]
	gpu       string // its label in the metrics; "" for none
	// work is locked while an execution runs, and while the backend's part is replaced: while instance groups change in
	// place, the schedulers of two versions may use the instance. Executions of an eager instance share it.
	work  sync.RWMutex
	spare sync.Pool // of executions
}

// execution runs one batch. What it needs is reused, so that a request allocates nothing here.
type execution struct {
	in       *instance
	counters *metrics.Counters
	batch    *backend.Batch
	calls    []*sched.Call
	requests []*infer.Request
	items    int64         // of the batch
	counted  bool          // one of the requests is no trial
	running  bool          // the instance has begun it, and not ended it
	caller   *infer.Caller // where the instance may call other models; else nil
	number   uint64        // of the execution; 0 until a trace asks for it
}

var (
	_ sched.Eager   = (*instance)(nil)
	_ sched.Limited = (*instance)(nil)
)

func newInstance(name string, b backend.Instance, counters *metrics.Counters) *instance {
	in := &instance{name: name}
	in.shown.Store(&b)
	in.counters.Store(counters)
	if e, ok := b.(backend.Eager); ok {
		in.ahead = e.Ahead()
	}
	return in
}

// execution returns the memory of one, to be given back to spare.
func (in *instance) execution() *execution {
	if e, ok := in.spare.Get().(*execution); ok {
		return e
	}
	e := &execution{in: in}
	e.batch = backend.NewBatch(nil, e.respond, func(i int, err error) { e.calls[i].Fail(err) })
	e.batch.OnLater(func(i int) backend.Responder { return e.later(e.calls[i].Later()) })
	e.batch.OnStart(e.started)
	e.batch.OnTakeBack(e.takenBack)
	e.batch.OnDone(e.done)
	if in.again {
		e.batch.OnReschedule(func(i int, state *infer.Response) { e.calls[i].Reschedule(state) })
	}
	return e
}

// countIn makes executions count in other counters.
func (in *instance) countIn(counters *metrics.Counters) { in.counters.Store(counters) }

// Ahead returns how many executions the instance takes beside the one that runs.
func (in *instance) Ahead() int { return in.ahead }

// running returns when the current execution began, zero when none runs, and the duration of the longest that returned.
func (in *instance) running() (since time.Time, longest time.Duration) {
	if began := in.began.Load(); began != 0 {
		since = time.Unix(0, began)
	}
	return since, time.Duration(in.longest.Load())
}

// lasted notes how long an execution took. Several may end at the same time.
func (in *instance) lasted(began, ended time.Time) {
	if in.stopped.Load() == began.UnixNano() {
		return
	}
	took := int64(ended.Sub(began))
	for longest := in.longest.Load(); took > longest && !in.longest.CompareAndSwap(longest, took); {
		longest = in.longest.Load()
	}
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
	if in.ahead > 0 {
		in.executeEagerly(ctx, calls)
		return
	}
	in.work.Lock()
	defer in.work.Unlock()
	e := in.execution()
	defer in.spare.Put(e)
	e.batch.Reset(e.take(calls))
	e.batch.Start()
	e.run(ctx)
}

func (e *execution) respond(i int, r *infer.Response) {
	r.Final = r.Final || !e.in.decoupled
	r.GPU = e.in.gpu
	e.calls[i].Respond(r)
}

// take returns the requests of the calls that the execution is for.
func (e *execution) take(calls []*sched.Call) []*infer.Request {
	e.calls, e.requests, e.items, e.number, e.counted = calls, e.requests[:0], 0, 0, false
	for _, c := range calls {
		e.requests = append(e.requests, c.Request)
		e.counted = e.counted || !c.Request.Trial
		e.items += max(c.Request.Batch, 1)
	}
	if e.in.calling {
		e.caller = e.callerOf(calls)
	}
	e.counters = e.in.counters.Load().On(e.in.gpu)
	return e.requests
}

// run runs the batch, and counts it if the instance has begun it.
func (e *execution) run(ctx context.Context) (begun bool) {
	if e.caller != nil {
		ctx = context.WithValue(ctx, callerKey{}, e.caller)
	}
	e.runBackend(ctx)
	if began := e.batch.Started(); !began.IsZero() {
		e.over()
		now := time.Now()
		e.in.lasted(began, now)
		e.count(now)
		begun = true
	}
	e.calls, e.caller = nil, nil
	clear(e.requests)
	return begun
}

// started notes that the instance has begun the batch.
func (e *execution) started() {
	began := e.batch.Started()
	e.running = true
	e.in.began.Store(began.UnixNano())
	for _, c := range e.calls {
		c.Began(began)
	}
	if e.caller != nil {
		e.in.graph.begin(e.caller)
	}
}

// takenBack notes that the instance had not begun the batch.
func (e *execution) takenBack() {
	e.over()
	for _, c := range e.calls {
		c.WaitsOn()
	}
}

// done notes that the framework has finished the batch. An eager instance begins the next one then.
func (e *execution) done() {
	if e.in.ahead > 0 {
		e.over()
	}
}

// over notes that the instance has ended the batch.
func (e *execution) over() {
	if !e.running {
		return
	}
	e.running = false
	e.in.began.CompareAndSwap(e.batch.Started().UnixNano(), 0)
	if e.caller != nil {
		e.in.graph.end(e.caller)
	}
}

// count counts an execution that has ended, and the requests that have no answer yet.
func (e *execution) count(now time.Time) {
	began := e.batch.Started()
	var t infer.Timings
	t.Input, t.Infer, t.Output = e.batch.Stages(now)
	if e.counted && e.batch.Counts() {
		e.counters.Executed(e.items, t)
	}
	for _, c := range e.calls {
		if c.Took(t) || c.Again() { // an answer may come later; each run of an iterative sequence counts
			t := t
			t.Queue, t.Total = c.Queue, c.Queue+now.Sub(began)
			e.counters.For(c.Request).Succeeded(c.Request.Batch, t)
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
		e.fail(err)
	}
}

// fail ends a batch that the backend has not ended. It counts as begun.
func (e *execution) fail(err error) {
	if e.batch.Started().IsZero() {
		e.batch.Start()
	}
	e.batch.FailAll(err)
}

// runHere executes the batch. A panic in a backend fails the batch, not the engine.
func (e *execution) runHere(ctx context.Context) {
	defer func() {
		if fault := recover(); fault != nil {
			e.in.log.Error("the backend panicked", "instance", e.in.name, "fault", fault, "stack", string(debug.Stack()))
			e.fail(infer.Errorf(infer.Internal, "model instance %s failed: %v", e.in.name, fault))
		}
	}()
	e.in.part().Execute(ctx, e.batch)
}

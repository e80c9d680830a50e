package backend

import (
	"time"

	"conch/engine/infer"
)

// Batch is one execution: requests that run together, and where their answers go. The goroutine of Execute calls its methods,
// or other goroutines do so one at a time until Execute returns.
//
// The scheduler guarantees that the requests can be concatenated along the batch dimension: they have the same inputs, with
// the same shapes after the batch dimension, except for inputs that the config calls ragged (see Layout).
//
// The Batch, its requests and the memory of their inputs belong to the engine. They are valid until Execute returns, also
// when a client cancels. A backend that answers later copies what it needs.
type Batch struct {
	Requests []*infer.Request

	respond func(i int, r *infer.Response)
	fail    func(i int, err error)
	again   func(i int, state *infer.Response) // nil where no request may run again
	later   func(i int) Responder
	onStart func() // nil for none
	onBack  func() // nil for none
	onDone  func()

	uncounted bool
	started   time.Time
	inputDone time.Time
	inferDone time.Time
}

// NewBatch makes a batch whose answers go to the two functions; i is the index in requests.
func NewBatch(requests []*infer.Request, respond func(i int, r *infer.Response), fail func(i int, err error)) *Batch {
	return &Batch{Requests: requests, respond: respond, fail: fail}
}

// Start marks the moment when an instance begins the batch. The engine calls it, or an Eager instance.
func (b *Batch) Start() {
	b.started = time.Now()
	if b.onStart != nil {
		b.onStart()
	}
}

// OnStart sets what Start calls.
func (b *Batch) OnStart(f func()) { b.onStart = f }

// TakeBack undoes Start. An Eager instance calls it, when it has died, for a batch that it believed to have begun, and had not.
func (b *Batch) TakeBack() {
	if b.onBack != nil {
		b.onBack()
	}
	b.started = time.Time{}
}

// OnTakeBack sets what TakeBack calls.
func (b *Batch) OnTakeBack(f func()) { b.onBack = f }

// OnDone sets what InferDone calls.
func (b *Batch) OnDone(f func()) { b.onDone = f }

// Started returns when an instance began the batch; zero when it has not.
func (b *Batch) Started() time.Time { return b.started }

// InputDone marks the moment when the inputs are gathered and the framework starts.
func (b *Batch) InputDone() { b.inputDone = time.Now() }

// Taken tells who made the requests that nobody reads their inputs and parameters any more. It is called at most once, and not for a batch
// that may be given back (TakeBack). Requests that may run again (Reschedule) are left out: their inputs are read once more.
func (b *Batch) Taken() {
	if b.again != nil {
		return
	}
	for _, r := range b.Requests {
		if r.Taken != nil {
			r.Taken()
		}
	}
}

// InferDone marks the moment when the framework has finished.
func (b *Batch) InferDone() {
	b.inferDone = time.Now()
	if b.onDone != nil {
		b.onDone()
	}
}

// Respond answers request i. The response's memory (Release) stays valid until its Release is called.
func (b *Batch) Respond(i int, r *infer.Response) { b.respond(i, r) }

// Fail answers request i with an error.
func (b *Batch) Fail(i int, err error) { b.fail(i, err) }

// Reset reuses the batch for other requests, with the same functions.
func (b *Batch) Reset(requests []*infer.Request) {
	*b = Batch{
		Requests: requests, respond: b.respond, fail: b.fail, again: b.again, later: b.later, onStart: b.onStart, onBack: b.onBack,
		onDone: b.onDone,
	}
}

// OnLater sets what Later returns.
func (b *Batch) OnLater(f func(i int) Responder) { b.later = f }

// Later takes request i out of the batch: its answers come through the Responder, from any goroutine, also after Execute has
// returned. It is called while Execute runs, at most once for a request, and before its final answer. Afterwards Respond does
// nothing, Fail is the Responder's Fail, and Reschedule ends the Responder.
func (b *Batch) Later(i int) Responder { return b.later(i) }

// OnReschedule lets requests of the batch run again (iterative_sequence).
func (b *Batch) OnReschedule(f func(i int, state *infer.Response)) { b.again = f }

// Reschedule gives request i back to its sequence, which runs it again with the state that it left, as
// TRITONBACKEND_REQUEST_RELEASE_RESCHEDULE does in Triton. It ends request i for this execution; responses that are not final
// may have been sent before. state, which may be nil, holds the outputs that are states; no client sees it.
func (b *Batch) Reschedule(i int, state *infer.Response) {
	if b.again == nil {
		b.fail(i, infer.Errorf(infer.Internal, "the model asks to run a request again, but its config has no iterative_sequence"))
		return
	}
	b.again(i, state)
}

// Uncounted marks the batch as none of the model's executions: Triton's backends for frameworks count only those that have
// run to their end.
func (b *Batch) Uncounted() { b.uncounted = true }

// Counts tells whether the batch is one of the model's executions.
func (b *Batch) Counts() bool { return !b.uncounted }

// FailAll answers every request with the same error: the execution itself failed.
func (b *Batch) FailAll(err error) {
	for i := range b.Requests {
		b.fail(i, err)
	}
}

// Stages returns the durations between the marks so far, up to now. A mark that is not set has the time of the mark before
// it.
func (b *Batch) Stages(now time.Time) (input, run, output time.Duration) {
	inputDone, inferDone := b.inputDone, b.inferDone
	if inputDone.Before(b.started) { // an Eager instance has gathered them before
		inputDone = b.started
	}
	if inferDone.IsZero() {
		inferDone = inputDone
	}
	return inputDone.Sub(b.started), inferDone.Sub(inputDone), now.Sub(inferDone)
}

package backend

import (
	"time"

	"conch/engine/infer"
)

// Batch is one execution: requests that run together, and where their answers go. Its methods are called by the goroutine of
// Execute, or by others one at a time until Execute returns.
//
// The scheduler guarantees that the requests may be concatenated along the batch dimension (same inputs, same
// shapes behind it, except for those that the config calls ragged: see Layout); a batch of one is passed on as it came.
//
// The Batch, its requests and the memory of their inputs belong to the engine. They are valid until Execute returns, whatever
// becomes of the clients meanwhile. A backend that answers later copies what it needs.
type Batch struct {
	Requests []*infer.Request

	respond func(i int, r *infer.Response)
	fail    func(i int, err error)
	again   func(i int, state *infer.Response) // nil where no request may run again
	later   func(i int) Responder

	started   time.Time
	inputDone time.Time
	inferDone time.Time
}

// NewBatch makes a batch whose answers go to the two functions; i is the index in requests.
func NewBatch(requests []*infer.Request, respond func(i int, r *infer.Response), fail func(i int, err error)) *Batch {
	return &Batch{Requests: requests, respond: respond, fail: fail}
}

// Start marks the moment an instance took the batch. The scheduler calls it.
func (b *Batch) Start() { b.started = time.Now() }

// Started is when an instance took the batch.
func (b *Batch) Started() time.Time { return b.started }

// InputDone marks that inputs are gathered and the framework starts.
func (b *Batch) InputDone() { b.inputDone = time.Now() }

// InferDone marks that the framework has finished.
func (b *Batch) InferDone() { b.inferDone = time.Now() }

// Respond answers request i. The response's memory (Release) stays valid until its Release is called.
func (b *Batch) Respond(i int, r *infer.Response) { b.respond(i, r) }

// Fail answers request i with an error.
func (b *Batch) Fail(i int, err error) { b.fail(i, err) }

// Reset makes the batch fit for other requests, as NewBatch would with the same functions.
func (b *Batch) Reset(requests []*infer.Request) {
	*b = Batch{Requests: requests, respond: b.respond, fail: b.fail, again: b.again, later: b.later}
}

// OnLater says what Later gives.
func (b *Batch) OnLater(f func(i int) Responder) { b.later = f }

// Later takes request i out of the batch: its answers come through the Responder, from any goroutine, also after Execute has
// returned. It is called while Execute runs, once at most for a request, which has no final answer yet. Afterwards Respond goes nowhere, Fail
// is the Responder's, and Reschedule ends the Responder.
func (b *Batch) Later(i int) Responder { return b.later(i) }

// OnReschedule lets requests of the batch run again (iterative_sequence).
func (b *Batch) OnReschedule(f func(i int, state *infer.Response)) { b.again = f }

// Reschedule gives request i back to its sequence, in which it runs again with the state it left: what
// TRITONBACKEND_REQUEST_RELEASE_RESCHEDULE is for. It ends request i for this execution; responses that are not final may
// have gone out before. state, which may be nil, holds the outputs that are states; no client sees it.
func (b *Batch) Reschedule(i int, state *infer.Response) {
	if b.again == nil {
		b.fail(i, infer.Errorf(infer.Internal, "the model asks for a request to be run again, but its config has no iterative_sequence"))
		return
	}
	b.again(i, state)
}

// FailAll answers every request with the same error: the execution itself failed.
func (b *Batch) FailAll(err error) {
	for i := range b.Requests {
		b.fail(i, err)
	}
}

// Stages are the durations between the marks so far, up to now. A mark that was not set counts as passed at the one before.
func (b *Batch) Stages(now time.Time) (input, run, output time.Duration) {
	inputDone, inferDone := b.inputDone, b.inferDone
	if inputDone.IsZero() {
		inputDone = b.started
	}
	if inferDone.IsZero() {
		inferDone = inputDone
	}
	return inputDone.Sub(b.started), inferDone.Sub(inputDone), now.Sub(inferDone)
}

package backend

import (
	"context"

	"conch/engine/infer"
)

// Responder gives the answers of one request, as Triton's response sender does: any number of a decoupled model, one of any
// other. Its methods may be called from any goroutine, at any time, also when the request has long ended and the instance is
// closed.
//
// The engine may give a request up: its client has gone, the instance died or was closed. Then Context ends, and what is sent
// goes nowhere.
type Responder interface {
	// Context ends when the request has its final answer or is given up. Requests to other models are made under it.
	Context() context.Context
	// Send gives one response; one that is Final ends the request. A response that is Final and has no outputs is the bare
	// final flag. Send waits while the client is slow, and frees the response's memory in any case: it calls Release once.
	// The error says that the request has ended, and that nothing more need be made for it.
	Send(r *infer.Response) error
	// Fail ends the request with an error.
	Fail(err error)
}

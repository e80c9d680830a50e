package backend

import (
	"context"

	"conch/engine/infer"
)

// Responder sends the responses of one request, as Triton's response sender does: any number for a decoupled model, otherwise
// one. Its methods may be called from any goroutine, at any time, also after the request has ended and the instance is closed.
//
// The engine may give up a request, because its client cancelled or the instance died or was closed. Then Context ends, and
// later responses are dropped.
type Responder interface {
	// Context returns a context that ends when the request has its final response or is given up. Requests to other models
	// use it.
	Context() context.Context
	// Send sends one response. A Final response ends the request; without outputs it is only the final flag. Send waits while
	// the client is slow, and always frees the response's memory: it calls Release once. An error says that the request has
	// ended and needs no more responses. Err instead of outputs is an error among the responses of a decoupled model: when
	// the client takes nothing after it, Send returns an error, and the caller ends the request with Fail.
	Send(r *infer.Response) error
	// Failing tells that Fail follows as soon as the responses before it are passed on. So the request counts as a failure also where
	// its execution ends before that.
	Failing()
	// Fail ends the request with an error.
	Fail(err error)
}

// Package infer holds one inference as it travels through the engine: the request, the response,
// what it cost, and how it failed. HTTP, gRPC and the workbench all meet here; nothing in it knows
// where a request came from.
package infer

import (
	"context"
	"time"

	"conch/engine/tensor"
)

// Latest asks for the highest version that is ready.
const Latest int64 = -1

// Request is one inference request.
//
// The engine reads a request and never changes it, except that the one who validates it (the model)
// fills in Batch, and Received where it is zero, and drops nothing. Inputs' data may be borrowed from the connection's buffer: it
// is valid until Handler returns.
type Request struct {
	ID      string
	Model   string
	Version int64 // Latest, or a version number
	Inputs  []tensor.Tensor
	// Outputs lists what the client wants; empty means every output of the model.
	Outputs    []RequestedOutput
	Parameters map[string]any // custom ones: bool, int64, float64 or string
	Priority   uint64         // 0 = the model's default level
	Timeout    time.Duration  // queue timeout; 0 = none
	Sequence   Sequence
	Trace      *Trace    // collects what happens; nil when nobody asked
	Received   time.Time // when the last byte of it was read
	Batch      int64     // the batch extent; 0 for a model that does not batch. Set by the model
	Caller     *Caller   // the execution that it was made in; nil for a client's
	Counted    bool      // the one who made it counts its memory in the engine's budget already

	names   map[string]struct{} // of the first inputs, where there are many
	indexed int                 // how many of them are in names
}

// RequestCost is what a request takes beside its tensors: its connection's buffers, its goroutine.
const RequestCost = 16 << 10

// fewInputs is up to how many inputs comparing each with each is faster than a set of their names.
const fewInputs = 16

// HasInput reports whether there is an input of that name. It is for the one who collects the inputs: unlike Input, it
// takes no longer for many, and must not be called from several goroutines.
func (r *Request) HasInput(name string) bool {
	if len(r.Inputs) <= fewInputs {
		return r.Input(name) != nil
	}
	if r.names == nil {
		r.names = make(map[string]struct{}, 2*fewInputs)
	}
	for ; r.indexed < len(r.Inputs); r.indexed++ {
		r.names[r.Inputs[r.indexed].Name] = struct{}{}
	}
	_, has := r.names[name]
	return has
}

// RequestedOutput is an output a client asked for.
type RequestedOutput struct {
	Name string
	// Classes > 0 asks for the highest values as "value:index:label" (docs/triton/requests.md,
	// "Classification").
	Classes uint32
}

// Sequence correlates requests of a stateful model. The zero value means none.
type Sequence struct {
	ID    uint64
	Name  string // when the client uses strings
	Start bool
	End   bool
}

// IDForPeople is the ID as Triton's sentences have it.
func (r *Request) IDForPeople() string {
	if r.ID == "" {
		return "<id_unknown>"
	}
	return r.ID
}

// Input finds an input by name, or nil.
func (r *Request) Input(name string) *tensor.Tensor {
	for i := range r.Inputs {
		if r.Inputs[i].Name == name {
			return &r.Inputs[i]
		}
	}
	return nil
}

// Wants reports whether the client wants this output.
func (r *Request) Wants(name string) bool {
	if len(r.Outputs) == 0 {
		return true
	}
	for i := range r.Outputs {
		if r.Outputs[i].Name == name {
			return true
		}
	}
	return false
}

// Sink takes responses: exactly one for an ordinary model, any number for a decoupled one. It is
// called from one goroutine at a time, must not keep the response after returning, and an error from it
// (the client has gone) makes the request fail with that error.
type Sink func(*Response) error

// Handler runs a request to its end: every response was given to the sink when it returns nil.
// The engine, a model, a scheduler and an ensemble are all Handlers.
type Handler interface {
	Infer(ctx context.Context, r *Request, sink Sink) error
}

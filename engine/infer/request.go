// Package infer has the types of one inference: the request, the response, its timings, and its
// errors. HTTP, gRPC and the workbench all use them. The package does not know where a request came
// from.
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
// The engine reads a request and does not change it, with one exception: the model validates it and fills in Batch,
// Accepted, Held, and Received where it is zero. The data of Inputs may be borrowed from the connection's buffer: it is valid until
// Handler returns.
type Request struct {
	ID      string
	Model   string
	Version int64 // Latest, or a version number
	Inputs  []tensor.Tensor
	// Away are inputs without Data, by name: their bytes are on a GPU. Only a version that said so (Target.ReadsGPU) gets some.
	Away map[string]Away
	// Landings are places for outputs, by name. A version that said so (Target.WritesGPU) may write there, and says so in
	// Response.Landed.
	Landings map[string]Landing
	// Rooms are memory of this process for outputs, by name. A backend may make an output there: then its Data begins where the room does,
	// and nobody has to copy it. Others may change a room's bytes at any time.
	Rooms map[string][]byte
	// Outputs lists the requested outputs; empty means every output of the model.
	Outputs    []RequestedOutput
	Parameters map[string]any // custom ones: bool, int64, float64 or string
	Priority   uint64         // 0 = the model's default level
	Timeout    time.Duration  // queue timeout; 0 = none
	Sequence   Sequence
	Trace      *Trace    // collects what happens; nil when nobody asked
	Received   time.Time // when its last byte was read
	Batch      int64     // the batch extent; 0 for a model that does not batch. Set by the model
	Accepted   bool      // the model found no mistake in it. Set by the model
	Caller     *Caller   // the execution that made it; nil for a client's request
	Step       bool      // an ensemble made it for one of its steps
	Alone      bool      // the engine had no other request when it came. Set by the engine
	Counted    bool      // its memory is already counted in the engine's budget
	KeepsOn    bool      // its sink takes responses with Err; otherwise such a response ends the request
	Single     bool      // its maker, another model, takes one answer: a decoupled model refuses it
	Trial      bool      // the workbench compares with it: nothing counts or keeps it, nor its steps and calls
	// Taken is called once when nobody reads Inputs and Parameters any more although Handler has not returned; nil where nobody asks. A
	// backend need not tell. It may hold locks meanwhile.
	Taken func()
	// Queued is called when the request has its place in the model's queue: one that comes later runs no sooner. It may be called again, and must be
	// before the request waits for others. nil where the order does not matter.
	Queued func()

	// Held are the versions of the steps, where the request has entered them while it waited; nil otherwise. Set by the model.
	Held *Held

	names   map[string]struct{} // of the first inputs, where there are many
	indexed int                 // how many of them are in names
}

// FromClient reports whether a client sent the request: no ensemble and no other model made it.
func (r *Request) FromClient() bool { return r.Caller == nil && !r.Step }

// RequestCost is the memory of a request besides its tensors: its connection's buffers, its
// goroutine.
const RequestCost = 16 << 10

// fewInputs is the largest number of inputs for which comparing all names is faster than a set of
// names.
const fewInputs = 16

// HasInput reports whether there is an input of that name. It is for the code that adds the inputs. Unlike Input, it
// is as fast with many inputs, and only one goroutine may call it.
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

// RequestedOutput is an output that a client asked for.
type RequestedOutput struct {
	Name string
	// Classes > 0 asks for the highest values as "value:index:label" (docs/triton/requests.md,
	// "Classification").
	Classes uint32
}

// LongestSequence is the maximum length of a string correlation ID, as in Triton.
const LongestSequence = 128

// Sequence correlates requests of a stateful model. The zero value means none.
type Sequence struct {
	ID    uint64
	Name  string // when the client uses strings
	Start bool
	End   bool
}

// ErrorPrefix returns the beginning of most errors about a request (docs/triton/requests.md,
// "Checks").
func (r *Request) ErrorPrefix() string {
	id := r.ID
	if id == "" {
		id = "<id_unknown>"
	}
	return "[request id: " + id + "] "
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

// Sink receives responses: exactly one from an ordinary model, any number from a decoupled one. One
// goroutine at a time calls it. It must not keep the response after its return. Its error (the client
// has left) makes the request fail with that error.
type Sink func(*Response) error

// Handler runs a request to its end: when it returns nil, the sink has got every response. The
// engine, a model, a scheduler and an ensemble are all Handlers.
type Handler interface {
	Infer(ctx context.Context, r *Request, sink Sink) error
}

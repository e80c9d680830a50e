// Package request builds an infer.Request from the parts that a transport has decoded, and runs it. HTTP and gRPC
// decode their bytes and pass on the parts in the order of the message. The rules for requests and their error
// sentences are here. Where Triton's sentences differ between the two transports, a Wire has each (words.go).
//
// An Assembler belongs to one request and to one goroutine at a time. It copies tensors only in shared memory.
package request

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/region"
	"conch/engine/kserve/tracing"
	"conch/engine/tensor"
)

// Assembler is a request while it is built and while it runs.
type Assembler struct {
	infer.Request
	// Binary is HTTP's binary_data_output: the form of outputs that the client did not list.
	Binary bool
	// EmptyFinal is gRPC's triton_enable_empty_final_response (docs/triton/grpc.md, "Streams").
	EmptyFinal bool
	// Sampled is the trace that the server's settings ask for; nil for none.
	Sampled *tracing.Sampled

	wire     *Wire
	regions  *region.Regions         // nil while shared memory is off
	spans    map[string]*region.Span // the places of outputs in shared memory
	borrowed []*region.Span          // inputs that are read in shared memory
	account  *budget.Account         // counts what the request needs besides its bytes
	target   infer.Target            // from Enter until Leave
	entered  bool
	answered bool
}

// New begins a request for a version of a model. All bytes of the request have been received, and account counts
// them.
func New(wire *Wire, model string, version int64, o *kserve.Options, account *budget.Account) Assembler {
	return Assembler{
		wire: wire, account: account, regions: o.Regions,
		Request: infer.Request{Model: model, Version: version, Received: time.Now(), Counted: o.Memory != nil},
	}
}

// Sample traces the request if the tracer picks it, besides a trace that the request asks for; a trial is not picked. began is when its
// first byte came, and headers are the request's. The caller calls Done of Sampled.
func (a *Assembler) Sample(t *tracing.Tracer, began time.Time, headers tracing.Headers) {
	if a.Trial {
		return
	}
	if a.Sampled = t.Sample(a.Model, headers); a.Sampled == nil {
		return
	}
	a.Sampled.Use(a.Trace)
	a.Sampled.MarkAt(a.wire.readStart, began)
	a.Sampled.MarkAt(a.wire.readEnd, a.Received)
	a.Trace = a.Sampled.Trace
}

// Enter finds the version that reads, runs and answers the request, and keeps it until Leave.
func (a *Assembler) Enter(e kserve.Entrance) error {
	target, err := e.Enter(a.Model, a.Version)
	if err != nil {
		return err
	}
	a.target, a.entered = target, true
	return nil
}

// Leave leaves the version, and the shared memory of its inputs and outputs. Only the first call after Enter counts.
func (a *Assembler) Leave() {
	a.releaseRegions()
	if a.entered {
		a.entered = false
		a.target.Leave()
	}
}

// Hold keeps the request in the versions that serve now while it waits for its turn, also in those of an ensemble's steps.
func (a *Assembler) Hold() { a.target.Hold() }

// Config returns the config of the entered version.
func (a *Assembler) Config() *modelconfig.ModelConfig { return a.target.Config }

// Decoupled reports whether the version may send any number of responses.
func (a *Assembler) Decoupled() bool { return decoupled(a.target.Config) }

// Sequential reports whether the request belongs to a sequence that the version, or a step of it, runs one request at a time.
func (a *Assembler) Sequential() bool {
	sequence := a.Sequence.ID != 0 || a.Sequence.Name != ""
	return sequence && (a.target.Config.GetSequenceBatching() != nil || a.ensemble())
}

// Alone reports whether the version gets the requests of a sequence one by one: an ensemble, because its steps keep no order, and a model
// with iterative sequences, because the end of one request also ends those that wait behind it.
func (a *Assembler) Alone() bool {
	return a.Sequential() && (a.ensemble() || a.target.Config.GetSequenceBatching().GetIterativeSequence())
}

func (a *Assembler) ensemble() bool { return a.target.Config.GetEnsembleScheduling() != nil }

func decoupled(c *modelconfig.ModelConfig) bool { return c.GetModelTransactionPolicy().GetDecoupled() }

// entryCost is the memory of an input, an output or a parameter in a request, including its share of a growing
// list.
const entryCost = 256

// charge counts an entry and its content, unless the wire has counted them.
func (a *Assembler) charge(bytes int) error {
	if a.wire.counted {
		return nil
	}
	return a.account.Grow(entryCost + int64(bytes))
}

// NewShape makes room for an input's shape.
func (a *Assembler) NewShape(rank int) (tensor.Shape, error) {
	if err := a.charge(8 * rank); err != nil {
		return nil, err
	}
	return make(tensor.Shape, 0, rank), nil
}

// NewInput begins an input. Its data follows, then AddInput. An input with the name of an earlier one is refused. The
// model refuses an unknown data type.
func (a *Assembler) NewInput(name, datatype string, shape tensor.Shape) (tensor.Tensor, error) {
	if a.HasInput(name) {
		return tensor.Tensor{}, infer.Errorf(infer.InvalidArg, "%sinput '%s' already exists in request", a.ErrorPrefix(), name)
	}
	t := tensor.Tensor{Name: name, Shape: shape}
	t.Type, _ = tensor.ParseDataType(datatype)
	return t, nil
}

// AddInput adds an input with its data, and counts its strings.
func (a *Assembler) AddInput(t tensor.Tensor) error {
	if err := a.CountStrings(&t); err != nil {
		return err
	}
	a.Inputs = append(a.Inputs, t)
	return nil
}

// CountStrings counts the strings that a backend will make of BYTES elements.
func (a *Assembler) CountStrings(t *tensor.Tensor) error { return a.account.Grow(t.StringsSize()) }

// AddOutput adds a requested output. classes is its number of classes; 0 for its values. As in Triton, only the lower 32
// bits of the number count.
func (a *Assembler) AddOutput(name string, classes uint64) error {
	if err := a.charge(0); err != nil {
		return err
	}
	a.Outputs = append(a.Outputs, infer.RequestedOutput{Name: name, Classes: uint32(classes)})
	return nil
}

// Forward converts the headers that match the pattern to parameters; a nil pattern matches none. Of several headers with
// one name the last counts.
func (a *Assembler) Forward(pattern *regexp.Regexp, headers map[string][]string) error {
	if pattern == nil {
		return nil
	}
	var sent map[string]any
	for _, name := range kserve.SortedKeys(headers) {
		values := headers[name]
		if len(values) == 0 || a.wire.unsent(name) || !pattern.MatchString(name) {
			continue
		}
		if reservedHeader(name) {
			return infer.Errorf(infer.InvalidArg, "Header '%s' is reserved for Triton usage and cannot be forwarded.", name)
		}
		value := values[len(values)-1]
		if err := a.charge(len(name) + len(value)); err != nil {
			return err
		}
		if sent == nil {
			sent = map[string]any{}
		}
		sent[name] = value
	}
	a.replaceParameters(sent)
	return nil
}

// replaceParameters sets forwarded headers. A parameter of the request with such a name in any case goes: names of headers
// have no case, and a client must not take the place of what a server before this one wrote.
func (a *Assembler) replaceParameters(sent map[string]any) {
	if len(sent) == 0 {
		return
	}
	lower := make(map[string]bool, len(sent))
	for name := range sent {
		lower[strings.ToLower(name)] = true
	}
	maps.DeleteFunc(a.Parameters, func(name string, _ any) bool { return lower[strings.ToLower(name)] })
	for name, value := range sent {
		a.setParameter(name, value)
	}
}

// reservedHeader reports whether a parameter of that name would mean something to the server.
func reservedHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, reservedPrefix) || slices.Contains(reservedParameters, name)
}

func (a *Assembler) setParameter(name string, value any) {
	if a.Parameters == nil {
		a.Parameters = map[string]any{}
	}
	a.Parameters[name] = value
}

// someEntries is how many entries of a long list are read between two checks whether the client
// still waits.
const someEntries = 1024

// Awaited is called before each entry of a list. It returns an error when the client has left.
func Awaited(ctx context.Context, entry int) error {
	if entry%someEntries != someEntries-1 || ctx.Err() == nil {
		return nil
	}
	return infer.Errorf(infer.Cancelled, "the client closed the connection while its request was read")
}

// Encoder writes an answer while the backend's memory, which the answer borrows, is valid.
type Encoder interface {
	Encode(*infer.Response) error
}

// Once runs the request on a model that answers once. Any other number of answers is an error of the model.
func (a *Assembler) Once(ctx context.Context, to Encoder) error {
	a.land()
	err := a.target.Infer(ctx, &a.Request, func(r *infer.Response) error {
		if a.answered {
			return infer.Errorf(infer.Internal, "model '%s' gave more than one response to one request", a.Model)
		}
		a.answered = true
		if err := a.deliver(r); err != nil {
			return err
		}
		return to.Encode(r)
	})
	if err == nil && !a.answered {
		return infer.Errorf(infer.Internal, "model '%s' gave no response to a request", a.Model)
	}
	return err
}

// Reached reports whether a request that failed had reached its model's queue.
func (a *Assembler) Reached(err error) bool {
	return a.Accepted && infer.FateOf(err) != infer.TurnedAway
}

// Failed reports whether the failures of its model count a request that failed: it had reached the queue, and the model had not
// answered it.
func (a *Assembler) Failed(err error) bool {
	fate := infer.FateOf(err)
	return a.Reached(err) && !a.answered && fate != infer.Answered && fate != infer.Undelivered
}

// Often runs the request on a model that may send any number of responses. An answer that does not fit into its region is an
// error between the others, where the sink takes some. A request whose answers cannot be sent has run.
func (a *Assembler) Often(ctx context.Context, to infer.Sink) error {
	a.land()
	return a.target.Infer(ctx, &a.Request, func(r *infer.Response) error {
		err := a.deliver(r)
		switch {
		case err == nil:
			err = to(r)
		case a.KeepsOn && !r.Final:
			err = to(&infer.Response{Err: err})
		}
		return infer.TooLarge(err)
	})
}

package infer

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/tensor"
)

// Trace collects what happens to one request. The caller puts a Trace into the Request and reads it when Infer has
// returned. Without one, tracing costs only a comparison with nil. Several goroutines may call its methods. The
// fields may be read after End; nothing is recorded after it.
type Trace struct {
	// Tensors asks for copies of inputs and outputs, including an ensemble's intermediate tensors.
	Tensors bool
	// Profile asks for a profile of each execution, by instances that can make one.
	Profile bool
	// Span is the request's place among the traces of other programs; none for most requests.
	Span Span

	// Step is the index in the config's step list, or the number of a call that the model made, from 0; only a child trace
	// has one.
	Step      int
	Model     string
	Version   int64
	RequestID string

	Received time.Time // when the last byte of the request had been read
	Queued   time.Time // when it was accepted and given to the scheduler
	Ended    time.Time // when its last response was sent, or when it failed; zero for a call that outlives its request
	Err      error     // how it failed; nil otherwise

	// Executions are the executions of the request: one for most requests, none when a cache or an ensemble's steps
	// answered, several for an iterative sequence.
	Executions []Execution
	Responses  []Answer
	Timings    Timings // of the final response
	Cache      CacheUse
	CacheTook  time.Duration
	Inputs     []Copy   // with Tensors
	Steps      []*Trace // of an ensemble, and calls that the model made; in the order in which they started
	Profiles   []Profile
	Refused    []Refusal // of an ensemble: steps that are not among Steps, since no model took their requests

	// room is how many more bytes the request and its steps may copy.
	room *atomic.Int64

	mu   sync.Mutex // guards everything above until done
	done bool
}

const (
	copiedBytes = 64 << 20 // tensors of a request and its steps
	keptEvents  = 10_000   // executions, responses and steps of a trace, each: a decoupled model may send any number
)

// Copy is a copy of a tensor. Data holds only the beginning if the trace would be too large.
type Copy struct {
	tensor.Tensor
	Bytes int // whole
}

// Execution is one run of an instance over a batch.
type Execution struct {
	Instance string
	Number   uint64   // identifies an execution in a process: requests with the same number ran together
	Requests []string // the IDs of all requests of the batch, in its order; "" for one without
	Items    int64    // the batch size
	Start    time.Time
	Timings  Timings // Input, Infer and Output
}

// Refusal is a step of an ensemble whose model refused its request, or that has no model that serves.
type Refusal struct {
	Step    int
	Model   string
	Version int64 // as the step asks for it
	Time    time.Time
	Err     error
}

// Answer is one response of a request.
type Answer struct {
	Time    time.Time
	Final   bool
	Outputs []Copy // with Tensors
}

// Begin records that a request was accepted.
func (t *Trace) Begin(model string, version int64, r *Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Model, t.Version, t.RequestID = model, version, r.ID
	t.Received, t.Queued = r.Received, time.Now()
	if t.Tensors {
		t.Inputs = t.copies(r.near())
	}
}

// Ran records an execution of the request.
func (t *Trace) Ran(e Execution) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done && len(t.Executions) < keptEvents {
		t.Executions = append(t.Executions, e)
	}
}

// Answered records a response to the client.
func (t *Trace) Answered(r *Response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	if r.Final {
		t.Timings, t.Cache, t.CacheTook = r.Timings, r.Cache, r.CacheTook
	}
	if len(t.Responses) >= keptEvents {
		return
	}
	a := Answer{Time: time.Now(), Final: r.Final}
	if t.Tensors {
		a.Outputs = t.copies(r.Outputs)
	}
	t.Responses = append(t.Responses, a)
}

// Profile is where the time of an execution went: a tree of calls.
type Profile struct {
	Instance  string
	Functions []ProfileFunction
	Nodes     []ProfileNode // each after its parent
	Sampled   bool          // there were too many calls to count them all
}

// ProfileFunction is a function of a program.
type ProfileFunction struct {
	Name, File string // File is "" for one that is not written in the program's language
	Line       int
}

// ProfileNode is a function as it was called from one place.
type ProfileNode struct {
	Function, Parent int // Parent is -1 for what was called first
	Total            time.Duration
	Calls            int64 // 0 where they were not counted
}

// Profiled records a profile of an execution.
func (t *Trace) Profiled(p Profile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done && len(t.Profiles) < keptProfiles {
		t.Profiles = append(t.Profiles, p)
	}
}

// keptProfiles bounds the profiles of a request that runs again and again.
const keptProfiles = 8

// Child begins the trace of an ensemble's step. It returns nil when there are too many, and for a nil Trace, so the
// caller needs no check.
func (t *Trace) Child(step int) *Trace {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || len(t.Steps) >= keptEvents {
		return nil
	}
	child := &Trace{Tensors: t.Tensors, Profile: t.Profile, Span: t.Span.below(), Step: step, room: t.space()}
	t.Steps = append(t.Steps, child)
	return child
}

// Refuse records that no model took the request of an ensemble's step. A nil Trace records nothing.
func (t *Trace) Refuse(step int, model string, version int64, err error) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done && len(t.Refused) < keptEvents {
		t.Refused = append(t.Refused, Refusal{step, model, version, time.Now(), err})
	}
}

// call begins the trace of a call that the model makes for the request. It returns nil when there are too many.
func (t *Trace) call() *Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || len(t.Steps) >= keptEvents {
		return nil
	}
	child := &Trace{Tensors: t.Tensors, Span: t.Span.below(), Step: len(t.Steps), room: t.space()}
	t.Steps = append(t.Steps, child)
	return child
}

// add adds the trace of a call that is made for this request too: for all requests of a batch.
func (t *Trace) add(call *Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done && len(t.Steps) < keptEvents {
		t.Steps = append(t.Steps, call)
	}
}

// soFar returns what was recorded of steps until now. Those that no model has accepted are left out.
func soFar(steps []*Trace) []*Trace {
	var known []*Trace
	for _, step := range steps {
		if step = step.soFar(); !step.Queued.IsZero() {
			known = append(known, step)
		}
	}
	return known
}

// soFar returns the trace itself when it has ended, else a copy in which nothing more is recorded.
func (t *Trace) soFar() *Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return t
	}
	return &Trace{
		Tensors: t.Tensors, Span: t.Span, Step: t.Step, Model: t.Model, Version: t.Version, RequestID: t.RequestID,
		Received: t.Received, Queued: t.Queued, Executions: slices.Clone(t.Executions), Responses: slices.Clone(t.Responses),
		Inputs: t.Inputs, Steps: soFar(t.Steps), Profiles: slices.Clone(t.Profiles),
		Refused: slices.Clone(t.Refused), done: true,
	}
}

// End records how the request ended. Later records are ignored. Of a call that goes on without its request the trace keeps
// what was recorded so far: it has no end.
func (t *Trace) End(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.Ended, t.Err, t.done = time.Now(), err, true
	t.Steps = soFar(t.Steps)
	slices.SortStableFunc(t.Steps, func(a, b *Trace) int { // steps that started together are in the order of the config
		return cmp.Or(a.Received.Compare(b.Received), cmp.Compare(a.Step, b.Step))
	})
}

// Running reports, of a step of a request that has ended, whether it goes on without it.
func (t *Trace) Running() bool { return t.Ended.IsZero() }

// space returns the counter that the request and its steps share. t.mu is held.
func (t *Trace) space() *atomic.Int64 {
	if t.room == nil {
		t.room = new(atomic.Int64)
		t.room.Store(copiedBytes)
	}
	return t.room
}

// copies copies tensors while there is room. t.mu is held.
func (t *Trace) copies(tensors []tensor.Tensor) []Copy {
	list := make([]Copy, len(tensors))
	for i, from := range tensors {
		size := int64(len(from.Data))
		if left := t.space().Add(-size); left < 0 {
			from.Data = from.Data[:max(size+left, 0)]
			t.room.Store(0)
		}
		from.Data, from.Shape = bytes.Clone(from.Data), append(tensor.Shape{}, from.Shape...)
		list[i] = Copy{from, int(size)}
	}
	return list
}

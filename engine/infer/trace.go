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

// Trace collects what happens to one request. Who wants to know puts one into the Request and reads it when Infer has
// returned; without one, tracing costs a comparison with nil. Its methods may be called from several goroutines;
// the fields are read after End, which lets nothing more in.
type Trace struct {
	// Tensors asks for copies of inputs and outputs, an ensemble's intermediate ones included.
	Tensors bool

	// Step is the place in the config's step list; only a child's means something.
	Step      int
	Model     string
	Version   int64
	RequestID string

	Received time.Time // when the last byte of the request had been read
	Queued   time.Time // when it was accepted and given to the scheduler
	Ended    time.Time // when its last response had been handed on, or it had failed
	Err      error     // how it failed; nil otherwise

	// Executions are those that the request was part of: one, none where a cache or the steps of an ensemble answered,
	// several for an iterative sequence.
	Executions []Execution
	Responses  []Answer
	Timings    Timings // of the final response
	Cache      CacheUse
	CacheTook  time.Duration
	Inputs     []Copy   // with Tensors
	Steps      []*Trace // of an ensemble, in the order in which they started

	// room is what is left of the bytes that the request and its steps may copy.
	room *atomic.Int64

	mu   sync.Mutex // guards everything above until done
	done bool
}

const (
	copiedBytes = 64 << 20 // tensors of a request and its steps
	keptEvents  = 10_000   // executions, responses and steps of a trace, each: a decoupled model may have any number
)

// Copy is a tensor as it was. Data holds the beginning alone where the trace would have become too large.
type Copy struct {
	tensor.Tensor
	Bytes int // whole
}

// Execution is one run of an instance over a batch.
type Execution struct {
	Instance string
	Number   uint64   // tells the executions of a process apart: requests with the same number ran together
	Requests []string // the IDs of all requests of the batch, in its order; "" for one without
	Items    int64    // the batch size
	Start    time.Time
	Timings  Timings // Input, Infer and Output
}

// Answer is one response of a request.
type Answer struct {
	Time    time.Time
	Final   bool
	Outputs []Copy // with Tensors
}

// Begin notes that a request was accepted.
func (t *Trace) Begin(model string, version int64, r *Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Model, t.Version, t.RequestID = model, version, r.ID
	t.Received, t.Queued = r.Received, time.Now()
	if t.Tensors {
		t.Inputs = t.copies(r.Inputs)
	}
}

// Ran notes an execution that the request was part of.
func (t *Trace) Ran(e Execution) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done && len(t.Executions) < keptEvents {
		t.Executions = append(t.Executions, e)
	}
}

// Answered notes a response as the client gets it.
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

// Child begins the trace of an ensemble's step. It is nil for a nil Trace, so that it can be called either way, and when
// there are too many.
func (t *Trace) Child(step int) *Trace {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || len(t.Steps) >= keptEvents {
		return nil
	}
	child := &Trace{Tensors: t.Tensors, Step: step, room: t.space()}
	t.Steps = append(t.Steps, child)
	return child
}

// End notes how the request ended; what is said of it later is not heard.
func (t *Trace) End(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.Ended, t.Err, t.done = time.Now(), err, true
	slices.SortStableFunc(t.Steps, func(a, b *Trace) int { // those that started together: as the config lists them
		return cmp.Or(a.Received.Compare(b.Received), cmp.Compare(a.Step, b.Step))
	})
}

// space is what the request and its steps share. t.mu is held.
func (t *Trace) space() *atomic.Int64 {
	if t.room == nil {
		t.room = new(atomic.Int64)
		t.room.Store(copiedBytes)
	}
	return t.room
}

// copies takes copies of tensors as long as there is room. t.mu is held.
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

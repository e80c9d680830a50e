package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// Sequencing are the rules of a sequence batcher (docs/triton/sequences.md, "Slots").
type Sequencing struct {
	Model    string // for sentences
	MaxBatch int64  // items; 0 counts as 1
	IDs      IDs
	// Idle is how long a sequence may be silent before its slot is another's.
	Idle time.Duration
	// Slots is how many sequences an instance holds at a time.
	Slots int
	// Oldest are the rules by which requests of different sequences are put together; nil for the direct strategy, in
	// which a sequence keeps its place in every batch.
	Oldest *Batching
	// MaxDelay and Utilization are the direct strategy's: a batch waits so long for this share of its slots.
	MaxDelay    time.Duration
	Utilization float32
	// Ragged are the inputs whose shapes may differ within a batch of the direct strategy.
	Ragged map[string]bool
	// Iterative makes a sequence of each request: it runs until the model no longer asks for another run. Who gives no
	// correlation ID gets one.
	Iterative bool
	// Timers ring when a batch has waited long enough; nil for Go's.
	Timers Timers
	// Fault is what is wrong with the states, of which every request is told; nil when all is well.
	Fault error
}

// IDs is the control by which a model is told correlation IDs: its type reports whether they are numbers or strings. The zero
// value is that of a model which is not told.
type IDs struct {
	Control string
	Type    tensor.DataType
}

// Wiring is what a sequence scheduler needs to know of a model: how a request carries what its sequence is about. Its
// methods are called one at a time for each sequence.
type Wiring interface {
	// Wire returns the request with controls and state in it. The request itself stays as it is.
	Wire(r *infer.Request, state any) *infer.Request
	// Null returns a request that holds a slot's place in a batch, shaped like one that Wire gave.
	Null(like *infer.Request) *infer.Request
	// Keep takes the state for the next request out of a response. What that does not hold is as before: state is what
	// the request was wired with, or what Keep gave since; nil at the beginning.
	Keep(state any, resp *infer.Response) any
}

// Sequence is Triton's sequence batcher: the requests of a sequence run one after the other on the instance that keeps
// its slot, and those for which there is no slot wait until one is free.
//
// A sequence is idle from the arrival of its last request on, however long that runs, as in Triton: a model that takes
// longer than max_sequence_idle_microseconds loses a client that waits for each answer.
type Sequence struct {
	rules  Sequencing
	wiring Wiring
	gauge  Gauge

	mu      sync.Mutex // guards what follows
	arrived uint64     // requests so far
	named   uint64     // correlation IDs given so far
	lanes   []*lane
	live    map[infer.Sequence]*sequence // those that take more requests, by correlation ID
	backlog []*sequence                  // those without a slot, in the order of their start
	dead    error                        // why there is no instance left
}

// lane is an instance and its slots.
type lane struct {
	executor Executor
	slots    []*sequence // nil for a free one
	busy     bool
	lost     bool          // it was given up
	out      bool          // it is paused
	at       *row          // what it runs
	last     chan struct{} // closed when the newest answer has left; nil unless answers are ordered
}

// sequence is a row of requests that share a state.
type sequence struct {
	scheduler *Sequence

	id    infer.Sequence
	lane  *lane // nil in the backlog
	slot  int
	queue []*waiter // those that have not begun
	// running: one of them is in a batch. ended: no more come, and the slot is free when the last has run.
	running bool
	ended   bool
	state   any
	arrival time.Time // of the last request
	idle    *time.Timer
	watches int // that were begun
}

var (
	_ infer.Handler = (*Sequence)(nil)
	_ line          = (*Sequence)(nil)
	_ line          = (*Dynamic)(nil)
)

// NewSequence makes a scheduler over the instances.
func NewSequence(executors []Executor, rules Sequencing, wiring Wiring, gauge Gauge) *Sequence {
	s := &Sequence{rules: rules, wiring: wiring, gauge: gauge, live: map[infer.Sequence]*sequence{}}
	for _, e := range executors {
		s.lanes = append(s.lanes, &lane{executor: e, slots: make([]*sequence, max(rules.Slots, 1))})
	}
	return s
}

// Infer queues the request in its sequence until it has been run.
func (s *Sequence) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	w := newWaiter(ctx, r, sink)
	w.call.keeper = w
	if err := s.enqueue(w); err != nil {
		return err
	}
	if s.rules.Iterative {
		return w.await(s, 0, nil) // it waits several times: append sets the alarm
	}
	return w.await(s, s.delay(), s.rules.Timers)
}

// keep takes the state out of a response that others may follow, or that comes after its execution; finish does so for what
// an execution leaves. Requests that are wired later have it.
func (w *waiter) keep(resp *infer.Response) {
	s := w.sequence.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	w.sequence.state = s.wiring.Keep(w.sequence.state, resp)
}

func (s *Sequence) delay() time.Duration {
	if s.rules.Oldest != nil {
		return s.rules.Oldest.MaxDelay
	}
	return s.rules.MaxDelay
}

// Stop forgets every sequence. Nothing is queued any more.
func (s *Sequence) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.live {
		q.rest()
	}
	clear(s.live)
}

func (s *Sequence) enqueue(w *waiter) error {
	if err := s.check(w.call.Request); err != nil {
		return err
	}
	w.call.Request = s.identify(w.call.Request)
	r := w.call.Request
	id := infer.Sequence{ID: r.Sequence.ID, Name: r.Sequence.Name}
	s.mu.Lock()
	q := s.live[id]
	switch {
	case s.dead != nil:
		defer s.mu.Unlock()
		return s.dead
	case q == nil && !r.Sequence.Start:
		s.mu.Unlock()
		return s.refuse("inference request for sequence %s to model '%s' must specify the START flag on the first request of the sequence", named(id), s.rules.Model)
	case q == nil:
		q = &sequence{scheduler: s, id: id}
		if !s.place(q) {
			s.backlog = append(s.backlog, q)
		}
	}
	if s.live[id] = q; r.Sequence.End {
		delete(s.live, id)
		q.ended = true
	}
	if q.lane == nil && r.Timeout > 0 { // a timeout is for the backlog alone
		w.deadline = w.since.Add(r.Timeout)
	}
	s.append(q, w)
	s.mu.Unlock()
	s.wake()
	return nil
}

// append puts a request at the end of its sequence. s.mu is held.
func (s *Sequence) append(q *sequence, w *waiter) {
	s.arrived++
	w.sequence, w.number, w.bare = q, s.arrived, w.call.Request
	q.queue = append(q.queue, w)
	q.arrival = w.since
	s.watch(q)
	s.gauge.Queued(1)
	if delay := s.delay(); s.rules.Iterative && delay > 0 {
		s.rules.Timers.of(s.wake).Reset(delay)
	}
}

// identify makes a request without a correlation ID the beginning of a sequence of its own, where sequences are iterative.
func (s *Sequence) identify(r *infer.Request) *infer.Request {
	if !s.rules.Iterative || r.Sequence.ID != 0 || r.Sequence.Name != "" {
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named++
	identified := *r
	identified.Sequence = infer.Sequence{ID: s.named, Start: true}
	return &identified
}

// place finds a free slot for a sequence: the lowest one of all instances, so that instances share the work.
// s.mu is held.
func (s *Sequence) place(q *sequence) bool {
	for slot := range max(s.rules.Slots, 1) {
		for _, l := range s.lanes {
			if l.slots[slot] == nil && !l.lost && !l.out {
				l.slots[slot], q.lane, q.slot = q, l, slot
				return true
			}
		}
	}
	return false
}

// release frees a sequence's slot for the one that waits longest. s.mu is held.
func (s *Sequence) release(q *sequence) {
	q.rest()
	if s.live[q.id] == q {
		delete(s.live, q.id)
	}
	if q.lane == nil {
		return
	}
	q.lane.slots[q.slot] = nil
	q.lane = nil
	if len(s.backlog) > 0 && s.place(s.backlog[0]) {
		s.watch(s.backlog[0])
		s.backlog = s.backlog[1:]
	}
}

// watch begins to wait for the next request of a sequence. The time in the backlog counts: a sequence that was silent for
// too long there goes on until what it has sent is done (seen on Triton 24.10). s.mu is held.
func (s *Sequence) watch(q *sequence) {
	q.rest()
	if s.rules.Idle <= 0 || q.lane == nil || q.ended {
		return
	}
	q.watches++
	watch := q.watches
	q.idle = time.AfterFunc(s.rules.Idle-time.Since(q.arrival), func() { s.forget(q, watch) })
}

// forget ends a sequence for which nothing came since a watch began; what is queued still runs.
func (s *Sequence) forget(q *sequence, watch int) {
	s.mu.Lock()
	if watch != q.watches {
		s.mu.Unlock()
		return
	}
	if s.live[q.id] == q {
		delete(s.live, q.id)
	}
	q.ended = true
	if !q.running && len(q.queue) == 0 {
		s.release(q)
	}
	s.mu.Unlock()
	s.wake()
}

// rest ends the watch over a sequence.
func (q *sequence) rest() {
	if q.idle != nil {
		q.idle.Stop()
		q.idle = nil
	}
}

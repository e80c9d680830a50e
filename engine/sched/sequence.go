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
	// Idle is how long a sequence may be idle before it loses its slot.
	Idle time.Duration
	// Slots is how many sequences an instance serves at a time.
	Slots int
	// Oldest are the rules for batches of different sequences. It is nil for the direct strategy, where a sequence
	// keeps its place in every batch.
	Oldest *Batching
	// MaxDelay and Utilization are for the direct strategy: a batch waits up to MaxDelay for this share of
	// its slots.
	MaxDelay    time.Duration
	Utilization float32
	// Ragged are the inputs that may have different shapes within a batch of the direct strategy.
	Ragged map[string]bool
	// Iterative makes each request a sequence. The request runs until the model asks for no other run. A request
	// without a correlation ID gets one.
	Iterative bool
	// Timers ring when a batch has waited long enough; nil for Go's.
	Timers Timers
	// Fault is an error in the states. Every request gets it as its answer. It is nil when the
	// states are valid.
	Fault error
}

// IDs is the control that passes correlation IDs to a model. Its type is a number or a string. The zero value is for
// a model without this control.
type IDs struct {
	Control string
	Type    tensor.DataType
}

// Wiring puts a sequence's controls and state into its requests, as the model wants them. Its methods are called one
// at a time for each sequence.
type Wiring interface {
	// Wire returns the request with controls and state in it. The request itself stays as it is.
	Wire(r *infer.Request, state any) *infer.Request
	// Null returns a request that fills an empty slot of a batch. It has the shapes of a request
	// that Wire returned.
	Null(like *infer.Request) *infer.Request
	// Keep takes the state for the next request out of a response. A part that the response does not hold stays as it
	// was. state is the one that Wire got, or a later result of Keep; nil at the beginning.
	Keep(state any, resp *infer.Response) any
}

// Sequence is Triton's sequence batcher: the requests of a sequence run one after the other on the instance that has
// its slot. Sequences without a slot wait until one is free.
//
// As in Triton, the idle time of a sequence begins with the arrival of its last request, even while that runs. So a
// model that takes longer than max_sequence_idle_microseconds loses the sequence of a client that waits for each
// answer.
type Sequence struct {
	rules  Sequencing
	wiring Wiring
	gauge  Gauge

	mu      sync.Mutex // guards what follows
	arrived uint64     // requests so far
	begun   uint64     // sequences that began without a correlation ID
	lanes   []*lane
	live    map[key]*sequence // the sequences that accept more requests
	backlog []*sequence       // the sequences without a slot, in the order of their start
	// nearest is the earliest deadline of a request in the backlog, or a time before it; zero if there is none. Nothing expires earlier.
	nearest time.Time
	dead    error // why there is no instance left
}

// lane is an instance and its slots.
type lane struct {
	executor Executor
	eager    bool        // calls wait in it, too
	slots    []*sequence // nil for a free one
	busy     bool
	lost     bool          // it was given up
	out      bool          // it is paused
	at       *row          // what it runs
	last     chan struct{} // closed when the newest answer is sent; nil unless answers are ordered
}

// key tells sequences apart. Those that the scheduler begins itself have numbers of their own, which no client can give.
type key struct {
	id   uint64 // the client's correlation ID
	name string // the same as a string
	own  uint64 // 0 for a client's
}

// sequence is a series of requests that share a state.
type sequence struct {
	scheduler *Sequence

	key   key
	lane  *lane // nil in the backlog
	slot  int
	queue []*waiter // the requests that have not begun
	// running is true while one of its requests is in a batch. ended is true when no more requests come;
	// the slot is free when the last has run.
	running bool
	ended   bool
	lost    error // why it lost its slot while a request ran; nil where it did not
	state   any
	arrival time.Time // when the last request came
	idle    *time.Timer
	watches int // how many watches have begun
}

var (
	_ infer.Handler = (*Sequence)(nil)
	_ line          = (*Sequence)(nil)
	_ line          = (*Dynamic)(nil)
)

// NewSequence makes a scheduler over the instances.
func NewSequence(executors []Executor, rules Sequencing, wiring Wiring, gauge Gauge) *Sequence {
	s := &Sequence{rules: rules, wiring: wiring, gauge: gauge, live: map[key]*sequence{}}
	for _, e := range executors {
		s.lanes = append(s.lanes, &lane{executor: e, eager: isEager(e), slots: make([]*sequence, max(rules.Slots, 1))})
	}
	return s
}

// Infer queues the request in its sequence and returns when it has run.
func (s *Sequence) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	w := newWaiter(ctx, r, sink)
	w.call.keeper = w
	if err := s.enqueue(w); err != nil {
		return err
	}
	if r.Queued != nil {
		r.Queued()
	}
	if s.rules.Iterative {
		return w.await(s, 0, nil) // it waits several times; append sets the alarm
	}
	return w.await(s, s.delay(), s.rules.Timers)
}

// keep stores the state of a response that is not the last of its request, or that comes after its execution. finish
// stores the state of an execution's result. Requests that are wired later get it.
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

// Stop drops every sequence. No request may be queued any more.
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
	s.mu.Lock()
	k := s.identify(w)
	r := w.call.Request
	q := s.live[k]
	switch {
	case s.dead != nil:
		defer s.mu.Unlock()
		return s.dead
	case q == nil && !r.Sequence.Start:
		s.mu.Unlock()
		return s.refuse("inference request for sequence %s to model '%s' must specify the START flag on the first request of the sequence", named(r.Sequence), s.rules.Model)
	case q == nil:
		q = &sequence{scheduler: s, key: k}
		if !s.place(q) {
			s.backlog = append(s.backlog, q)
		}
	}
	if s.live[k] = q; r.Sequence.End {
		delete(s.live, k)
		q.ended = true
	}
	if q.lane == nil && r.Timeout > 0 { // a timeout is for the backlog alone
		w.deadline = w.since.Add(r.Timeout)
		s.near(w.deadline)
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

// identify returns the key of a request's sequence. A request without a correlation ID begins one, where sequences are iterative:
// the model gets its number as correlation ID. s.mu is held.
func (s *Sequence) identify(w *waiter) key {
	r := w.call.Request
	if !s.rules.Iterative || r.Sequence.ID != 0 || r.Sequence.Name != "" {
		return key{id: r.Sequence.ID, name: r.Sequence.Name}
	}
	s.begun++
	identified := *r
	identified.Sequence = infer.Sequence{ID: s.begun, Start: true}
	w.call.Request = &identified
	return key{own: s.begun}
}

// place gives a sequence a free slot: the lowest one of all instances, so that the instances share the work.
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

// release gives a sequence's slot to the sequence that waits longest. s.mu is held.
func (s *Sequence) release(q *sequence) {
	q.rest()
	if s.live[q.key] == q {
		delete(s.live, q.key)
	}
	if q.lane == nil {
		return
	}
	q.lane.slots[q.slot] = nil
	q.lane = nil
	if len(s.backlog) > 0 && s.place(s.backlog[0]) {
		if next := s.backlog[0]; len(next.queue) > 0 && next.queue[0].call.Request.Step {
			next.arrival = time.Now() // an ensemble sends the next request only after this one is answered
		}
		s.watch(s.backlog[0])
		s.backlog = s.backlog[1:]
	}
}

// watch begins to wait for the next request of a sequence. The time in the backlog counts. A sequence that was idle
// there for too long still runs the requests that it has sent (seen on Triton 24.10). s.mu is held.
func (s *Sequence) watch(q *sequence) {
	q.rest()
	if s.rules.Idle <= 0 || q.lane == nil || q.ended {
		return
	}
	q.watches++
	watch := q.watches
	q.idle = time.AfterFunc(s.rules.Idle-time.Since(q.arrival), func() { s.forget(q, watch) })
}

// forget ends a sequence without a new request since a watch began. Its queued requests still run.
func (s *Sequence) forget(q *sequence, watch int) {
	s.mu.Lock()
	if watch != q.watches {
		s.mu.Unlock()
		return
	}
	if s.live[q.key] == q {
		delete(s.live, q.key)
	}
	q.ended = true
	if !q.running && len(q.queue) == 0 {
		s.release(q)
	}
	s.mu.Unlock()
	s.wake()
}

// rest ends the watch of a sequence.
func (q *sequence) rest() {
	if q.idle != nil {
		q.idle.Stop()
		q.idle = nil
	}
}

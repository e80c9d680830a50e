package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Sequencing are the rules of a sequence batcher (triton-runtime D7).
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
}

// IDs says which correlation IDs a model can be told.
type IDs int

// The kinds of correlation ID.
const (
	AnyID IDs = iota
	Numbers
	Names
)

// Wiring is what a sequence scheduler needs to know of a model: how a request carries what its sequence is about. Its
// methods are called one at a time for each sequence.
type Wiring interface {
	// Wire gives the request with controls and state in it. The request itself stays as it is.
	Wire(r *infer.Request, state any) *infer.Request
	// Null gives a request that holds a slot's place in a batch, shaped like one that Wire gave.
	Null(like *infer.Request) *infer.Request
	// Keep takes the state for the next request out of a response. It gives nil when there is none.
	Keep(resp *infer.Response) any
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
	lanes   []*lane
	live    map[infer.Sequence]*sequence // those that take more requests, by correlation ID
	backlog []*sequence                  // those without a slot, in the order of their start
}

// lane is an instance and its slots.
type lane struct {
	executor Executor
	slots    []*sequence // nil for a free one
	busy     bool
}

// sequence is a row of requests that share a state.
type sequence struct {
	id    infer.Sequence
	lane  *lane // nil in the backlog
	slot  int
	queue []*waiter // those that have not begun
	// running: one of them is in a batch. ended: no more come, and the slot is free when the last has run.
	running bool
	ended   bool
	state   any
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
	if err := s.enqueue(w); err != nil {
		return err
	}
	return w.await(s, s.delay())
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
	r := w.call.Request
	if err := s.check(r); err != nil {
		return err
	}
	id := infer.Sequence{ID: r.Sequence.ID, Name: r.Sequence.Name}
	s.mu.Lock()
	q := s.live[id]
	switch {
	case q == nil && !r.Sequence.Start:
		s.mu.Unlock()
		return s.refuse("inference request for sequence %s to model '%s' must specify the START flag on the first request of the sequence", named(id), s.rules.Model)
	case q == nil:
		q = &sequence{id: id}
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
	s.arrived++
	w.sequence, w.number = q, s.arrived
	q.queue = append(q.queue, w)
	s.watch(q)
	s.mu.Unlock()
	s.gauge.Queued(1)
	s.wake()
	return nil
}

// place gives a sequence a free slot: the lowest there is, on whichever instance, so that instances share the work.
// s.mu is held.
func (s *Sequence) place(q *sequence) bool {
	for slot := range max(s.rules.Slots, 1) {
		for _, l := range s.lanes {
			if l.slots[slot] == nil {
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

// watch begins to wait for the next request of a sequence. s.mu is held.
func (s *Sequence) watch(q *sequence) {
	q.rest()
	if s.rules.Idle <= 0 || q.lane == nil || q.ended {
		return
	}
	q.watches++
	watch := q.watches
	q.idle = time.AfterFunc(s.rules.Idle, func() { s.forget(q, watch) })
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

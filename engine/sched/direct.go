package sched

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/infer"
)

// Direct runs requests without a scheduler. Each request goes unchanged to a free instance, in the
// order of arrival, from an unbounded queue (docs/triton/schedulers.md, "Without a scheduler").
type Direct struct {
	idle  chan *seat // its waiting receivers are the queue: Go serves them in order
	gauge Gauge
	eager bool     // the executors take calls that they do not begin at once
	order arrivals // of the requests that ask for it, and of those that come while such ones wait
	// outage tells the waiting requests that no instance is left.
	outage atomic.Pointer[outage]

	mu  sync.Mutex // guards the seats' parked, and the start and end of an outage
	all []*seat
}

// seat is an instance, or a place at an Eager one, and the memory of the call on it.
type seat struct {
	executor Executor
	call     Call
	calls    [1]*Call
	out      atomic.Bool // it gets no request
	parked   bool        // it is idle and out
}

// outage is a period without any instance.
type outage struct {
	begun chan struct{} // closed then
	why   error         // set before
}

var (
	_ infer.Handler = (*Direct)(nil)
	_ Pauser        = (*Direct)(nil)
)

// NewDirect makes a scheduler over the instances.
func NewDirect(executors []Executor, gauge Gauge) *Direct {
	seats := seatsOf(executors)
	d := &Direct{idle: make(chan *seat, len(executors)*seats), gauge: gauge, eager: slices.ContainsFunc(executors, isEager)}
	d.outage.Store(&outage{begun: make(chan struct{})})
	for _, e := range executors {
		for range seats {
			s := &seat{executor: e}
			s.calls[0] = &s.call
			d.all = append(d.all, s)
			d.idle <- s
		}
	}
	return d
}

// seatsOf returns how many calls each executor gets at a time. Where there are several, each gets one: a call that waits at one of them
// could run on another.
func seatsOf(executors []Executor) int {
	if len(executors) == 1 {
		if e, ok := executors[0].(Eager); ok {
			return 1 + e.Ahead()
		}
	}
	return 1
}

// Infer waits for an instance and runs the request on it.
func (d *Direct) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	leave, before := func() {}, (<-chan struct{})(nil)
	ordered := r.Queued != nil || d.order.any()
	if ordered {
		before, leave = d.order.join()
		defer leave()
	}
	if r.Queued != nil {
		r.Queued()
	}
	s, waited, err := d.take(ctx, before)
	if err != nil {
		return err
	}
	switch {
	case !ordered:
	case d.eager: // another seat is at the same instance
		taken := r.Taken
		r.Taken = func() {
			if taken != nil {
				taken()
			}
			leave()
		}
		defer func() { r.Taken = taken }()
	default:
		leave()
	}
	s.call.start(ctx, r, sink)
	s.call.Queue = waited
	if d.eager {
		s.call.since, s.call.gauge = time.Now().Add(-waited), d.gauge
		d.gauge.Queued(1)
	}
	s.executor.Execute(ctx, s.calls[:])
	s.call.waitsNoMore()
	out := s.call.outcome
	s.call.clear()
	d.idle <- s
	return out.deliver()
}

// take waits for a seat, and before that for the request before, if there is one.
func (d *Direct) take(ctx context.Context, before <-chan struct{}) (*seat, time.Duration, error) {
	idle := d.idle
	if before != nil {
		idle = nil
	}
	select {
	case s := <-idle:
		if d.usable(s) {
			return s, 0, nil
		}
	default:
	}
	d.gauge.Queued(1)
	defer d.gauge.Queued(-1)
	since := time.Now()
	for {
		none := d.outage.Load()
		select {
		case <-before:
			before, idle = nil, d.idle
		case s := <-idle:
			if d.usable(s) {
				return s, time.Since(since), nil
			}
		case <-ctx.Done():
			return nil, 0, Gone(ctx)
		case <-none.begun:
			return nil, 0, none.why
		}
	}
}

// usable reports whether an instance may run a request. It parks an idle instance that is out.
func (d *Direct) usable(s *seat) bool {
	if !s.out.Load() {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.parked = s.out.Load()
	return !s.parked
}

// Pause implements Pauser.
func (d *Direct) Pause(e Executor, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.left()
	for _, s := range d.all {
		if s.executor == e {
			s.out.Store(true)
		}
	}
	if before > 0 && d.left() == 0 {
		none := d.outage.Load()
		none.why = why
		close(none.begun)
	}
}

// Resume implements Pauser.
func (d *Direct) Resume(e Executor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left() == 0 {
		d.outage.Store(&outage{begun: make(chan struct{})})
	}
	for _, s := range d.all {
		if s.executor != e {
			continue
		}
		s.out.Store(false)
		if s.parked {
			s.parked = false
			d.idle <- s
		}
	}
}

// left returns how many instances are not out. d.mu is held.
func (d *Direct) left() (n int) {
	for _, s := range d.all {
		if !s.out.Load() {
			n++
		}
	}
	return n
}

package sched

import (
	"context"
	"sync/atomic"
	"time"

	"conch/engine/infer"
)

// Direct runs requests without a scheduler: each goes as it is to an instance that is free, in the
// order of arrival, from a queue without bound (docs/triton/schedulers.md, "Without a scheduler").
type Direct struct {
	idle  chan *seat // its waiting receivers are the queue: Go serves them in order
	gauge Gauge
	lost  atomic.Int32  // instances that were given up
	dead  chan struct{} // closed when all have been
	why   error         // set before
}

// seat is an instance and the room for the call on it.
type seat struct {
	executor Executor
	call     Call
	calls    [1]*Call
}

var _ infer.Handler = (*Direct)(nil)

// NewDirect makes a scheduler over the instances.
func NewDirect(executors []Executor, gauge Gauge) *Direct {
	d := &Direct{idle: make(chan *seat, len(executors)), gauge: gauge, dead: make(chan struct{})}
	for _, e := range executors {
		s := &seat{executor: e}
		s.calls[0] = &s.call
		d.idle <- s
	}
	return d
}

// Infer waits for an instance and runs the request on it.
func (d *Direct) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	s, waited, err := d.take(ctx)
	if err != nil {
		return err
	}
	s.call.start(ctx, r, sink)
	s.call.Queue = waited
	s.executor.Execute(ctx, s.calls[:])
	out := s.call.outcome
	s.call.clear()
	d.idle <- s
	return out.deliver()
}

func (d *Direct) take(ctx context.Context) (*seat, time.Duration, error) {
	select {
	case s := <-d.idle:
		return s, 0, nil
	default:
	}
	d.gauge.Queued(1)
	defer d.gauge.Queued(-1)
	since := time.Now()
	select {
	case s := <-d.idle:
		return s, time.Since(since), nil
	case <-ctx.Done():
		return nil, 0, gone(ctx)
	case <-d.dead:
		return nil, 0, d.why
	}
}

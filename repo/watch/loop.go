package watch

import (
	"context"
	"slices"
	"time"
)

// source reports raw events. Its first report has to be a full one, made
// when no later change can be missed.
type source interface {
	// run reports until ctx ends, or until it cannot go on. What is received
	// from out is received soon.
	run(ctx context.Context, out chan<- []raw) error
}

// loop leads what a source reports through the settler to the receiver.
type loop struct {
	settler *settler
	up      chan<- Change
	pending *Change
	armed   bool
}

// run works with one source until that ends, and returns its error.
func (l *loop) run(ctx context.Context, src source) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := make(chan []raw)
	ended := make(chan error, 1)
	go func() { ended <- src.run(ctx, events) }()
	l.armed = false
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case batch := <-events:
			l.take(batch)
		case <-timer.C:
			l.merge(l.settler.settle(time.Now()))
		case l.ready() <- l.first():
			l.pending = nil
		case err := <-ended:
			return err
		}
		l.arm(timer)
	}
}

// take hands a batch to the settler. The first report of a source needs no
// settling: it only says that watching has begun.
func (l *loop) take(batch []raw) {
	now := time.Now()
	for _, e := range batch {
		if e.full && !l.armed {
			l.armed = true
			l.merge(Change{Full: true})
			continue
		}
		l.settler.touch(now, e)
	}
}

// arm sets the timer to when something may be at rest.
func (l *loop) arm(timer *time.Timer) {
	if next, ok := l.settler.next(); ok {
		timer.Reset(time.Until(next))
	} else {
		timer.Stop()
	}
}

// ready is the receiver's channel while there is something to send, and nil,
// on which nothing is ever sent, while there is not.
func (l *loop) ready() chan<- Change {
	if l.pending == nil {
		return nil
	}
	return l.up
}

// first is the change to send, with what is being written at this moment.
func (l *loop) first() Change {
	if l.pending == nil {
		return Change{}
	}
	c := *l.pending
	if c.Full {
		c.Busy = l.settler.busy()
	}
	return c
}

// merge adds a change to the one that waits to be sent.
func (l *loop) merge(c Change) {
	if !c.Full && len(c.Paths) == 0 {
		return
	}
	if l.pending == nil {
		l.pending = &c
		return
	}
	paths := slices.Concat(l.pending.Paths, c.Paths)
	slices.Sort(paths)
	l.pending = &Change{Paths: slices.Compact(paths), Full: l.pending.Full || c.Full}
}

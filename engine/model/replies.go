package model

import (
	"context"
	"sync"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/sched"
)

// replies are the requests of an instance that are answered after their execution.
type replies struct {
	mu     sync.Mutex               // guards what follows
	open   map[*responder]time.Time // since when they have sent nothing
	silent time.Duration            // the longest time that one was silent, and went on
}

// responder is a backend's way to the client of one request.
type responder struct {
	*sched.Reply
	ctx       context.Context
	of        *replies
	decoupled bool
}

var _ backend.Responder = (*responder)(nil)

// Send gives a response. That of a model which is not decoupled is its final one.
func (r *responder) Send(resp *infer.Response) error {
	resp.Final = resp.Final || !r.decoupled
	r.of.heard(r)
	return r.Reply.Send(resp)
}

// Context is the request's, as long as it is open.
func (r *responder) Context() context.Context { return r.ctx }

func (l *replies) add(p *sched.Reply, in *instance) *responder {
	r := &responder{p, p.Context(), l, in.decoupled}
	if in.caller != nil {
		r.ctx = context.WithValue(r.ctx, callerKey{}, in.caller)
	}
	l.mu.Lock()
	if l.open == nil {
		l.open = map[*responder]time.Time{}
	}
	l.open[r] = time.Now()
	l.mu.Unlock()
	context.AfterFunc(p.Context(), func() { l.remove(r) })
	return r
}

func (l *replies) remove(r *responder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, r)
}

// heard notes that a request goes on.
func (l *replies) heard(r *responder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if since, open := l.open[r]; open {
		l.silent, l.open[r] = max(l.silent, time.Since(since)), time.Now()
	}
}

// silence says since when one has been silent, the longest; zero when none is open. usual is the longest after which one went
// on.
func (l *replies) silence() (since time.Time, usual time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.open {
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	return since, l.silent
}

// fail ends all of them with an error.
func (l *replies) fail(err error) {
	l.mu.Lock()
	var list []*responder
	for r := range l.open {
		list = append(list, r)
	}
	l.mu.Unlock()
	for _, r := range list {
		r.Fail(err)
	}
}

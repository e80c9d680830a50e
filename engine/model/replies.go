package model

import (
	"context"
	"maps"
	"slices"
	"time"

	"conch/engine/backend"
	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/sched"
)

// replies are the requests of an instance that are answered after their execution.
type replies struct{ guarded.Value[silences] }

// silences are how long requests have had no response.
type silences struct {
	since   map[*responder]time.Time // the last response of an open request, or its beginning
	longest time.Duration            // the longest silence that a response ended
}

// responder is a backend's way to the client of one request.
type responder struct {
	*sched.Reply
	ctx       context.Context
	of        *replies
	decoupled bool
	gpu       string // see infer.Response
}

var _ backend.Responder = (*responder)(nil)

// Send sends a response. The response of a model that is not decoupled is final.
func (r *responder) Send(resp *infer.Response) error {
	resp.Final = resp.Final || !r.decoupled
	resp.GPU = r.gpu
	r.of.heard(r)
	return r.Reply.Send(resp)
}

// Context returns the request's context, which ends with the request.
func (r *responder) Context() context.Context { return r.ctx }

// later opens a request that the execution answers when it is over.
func (e *execution) later(p *sched.Reply) *responder {
	r := &responder{p, p.Context(), &e.in.open, e.in.decoupled, e.in.gpu}
	if e.caller != nil {
		r.ctx = context.WithValue(r.ctx, callerKey{}, e.caller)
	}
	r.of.begin(r)
	context.AfterFunc(p.Context(), func() { r.of.remove(r) })
	return r
}

func (l *replies) begin(r *responder) {
	open := l.Lock()
	defer l.Unlock()
	if open.since == nil {
		open.since = map[*responder]time.Time{}
	}
	open.since[r] = time.Now()
}

func (l *replies) remove(r *responder) {
	open := l.Lock()
	defer l.Unlock()
	delete(open.since, r)
}

// heard notes that an open request has a response.
func (l *replies) heard(r *responder) {
	open := l.Lock()
	defer l.Unlock()
	if since, ok := open.since[r]; ok {
		open.longest, open.since[r] = max(open.longest, time.Since(since)), time.Now()
	}
}

// silence returns since when the request that is silent longest has had no response; zero when none is open. usual is the
// longest silence that a response ended.
func (l *replies) silence() (since time.Time, usual time.Duration) {
	open := l.Lock()
	defer l.Unlock()
	for _, at := range open.since {
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	return since, open.longest
}

// fail ends all open requests with an error. It does so without the lock, because the end of a request removes it.
func (l *replies) fail(err error) {
	for _, r := range l.list() {
		r.Fail(err)
	}
}

func (l *replies) list() []*responder {
	open := l.Lock()
	defer l.Unlock()
	return slices.Collect(maps.Keys(open.since))
}

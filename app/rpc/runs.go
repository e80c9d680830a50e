package rpc

import (
	"context"
	"errors"
	"sync"
)

// errStopped is the cause of a context that the user ended.
var errStopped = errors.New("stopped by the user")

// runs are the requests that can be stopped, by the names that the window gave them. The zero value
// has none. All methods may be called from any goroutine.
type runs struct {
	mu     sync.Mutex // guards byName
	byName map[string]*run
}

// run is a request that runs. Its address tells it from another one of the same name.
type run struct{ cancel context.CancelCauseFunc }

// begin returns the context of a request. The caller calls end when the request is over.
func (r *runs) begin(ctx context.Context, name string) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if name == "" {
		return ctx, func() { cancel(nil) }
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byName == nil {
		r.byName = map[string]*run{}
	}
	this := &run{cancel}
	r.byName[name] = this
	return ctx, func() {
		r.mu.Lock()
		if r.byName[name] == this { // a later request may have the name now
			delete(r.byName, name)
		}
		r.mu.Unlock()
		cancel(nil)
	}
}

// stop ends a request. One that has ended is left alone.
func (r *runs) stop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.byName[name]; run != nil {
		run.cancel(errStopped)
	}
}

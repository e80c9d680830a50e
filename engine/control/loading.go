package control

import (
	"context"
	"sync"
)

// loading is the load of a version that is under way. It is in the context of the load, so that what the model asks for
// meanwhile is known as its request.
type loading struct {
	model   string
	threads chan struct{} // has an element for each load that holds one of the engine's loads at a time

	mu    sync.Mutex // guards what follows
	holds bool       // one of the loads at a time
	over  bool
}

// loadingKey is the key of the *loading in a context.
type loadingKey struct{}

// loadingOf returns the load that a request comes from; nil for none.
func loadingOf(ctx context.Context) *loading {
	l, _ := ctx.Value(loadingKey{}).(*loading)
	return l
}

// askerOf returns the model whose load, which is under way, makes a request; "" for none.
func askerOf(ctx context.Context) string {
	l := loadingOf(ctx)
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ""
	}
	return l.model
}

// begin waits until the load may begin. It returns false when ctx ends before that.
func (l *loading) begin(ctx context.Context) bool {
	select {
	case l.threads <- struct{}{}:
		l.holds = true
		return true
	case <-ctx.Done():
		return false
	}
}

// asks notes that the model asks for another load, and waits for it. Its load does not count as one of the loads at a time
// from now on: otherwise loads that wait for others could keep these from beginning.
func (l *loading) asks() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.letGo()
}

// end notes the end of the load.
func (l *loading) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.letGo()
}

// letGo lets another load begin. The caller holds l.mu.
func (l *loading) letGo() {
	if l.holds {
		l.holds = false
		<-l.threads
	}
}

package desktop

import (
	"net/http"
	"sync"
)

// late is a handler that is set once the workbench has started. Calls wait for it.
type late struct {
	once    sync.Once
	known   chan struct{}
	handler http.Handler
}

func newLate() *late { return &late{known: make(chan struct{})} }

// set sets the handler; only the first counts.
func (l *late) set(h http.Handler) {
	l.once.Do(func() {
		l.handler = h
		close(l.known)
	})
}

// ServeHTTP implements http.Handler.
func (l *late) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-l.known:
		l.handler.ServeHTTP(w, r)
	case <-r.Context().Done():
	}
}

// failed answers every call with the reason why the workbench did not start.
func failed(err error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	})
}

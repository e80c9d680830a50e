package sched

import "sync"

// arrivals keep requests in the order in which they came, up to the moment when each leaves.
type arrivals struct {
	mu   sync.Mutex
	last chan struct{} // closed when the last one has left
}

// join adds a request. It returns what is closed when the one before has left, nil for the first, and what takes the request out; it may be
// called more than once.
func (l *arrivals) join() (before <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != nil {
		before = l.last
	}
	own := make(chan struct{})
	l.last = own
	return before, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.last == own {
			l.last = nil
		}
		close(own)
	})
}

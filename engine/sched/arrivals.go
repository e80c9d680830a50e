package sched

import (
	"container/list"
	"sync"
)

// arrivals keep requests in the order in which they came, up to the moment when each leaves. One may leave before its turn, as when its
// client goes away; those behind it go on waiting for those before it.
type arrivals struct {
	mu   sync.Mutex
	here list.List // of chan struct{}: closed when it is the first
}

// join adds a request. It returns what is closed when all before it have left, nil for the first, and what takes the request out; it may be
// called more than once.
func (l *arrivals) join() (before <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := make(chan struct{})
	own := l.here.PushBack(turn)
	if l.here.Front() != own {
		before = turn
	}
	return before, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		first := l.here.Front() == own
		l.here.Remove(own)
		if next := l.here.Front(); first && next != nil {
			close(next.Value.(chan struct{}))
		}
	})
}

package sched

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// arrivals keep requests in the order in which they came, up to the moment when each leaves. One may leave before its turn, as when its
// client goes away; those behind it go on waiting for those before it.
type arrivals struct {
	mu   sync.Mutex
	here list.List    // of chan struct{}: closed when it is the first
	some atomic.Int64 // how many are here
}

// any reports whether a request is here, without a lock.
func (l *arrivals) any() bool { return l.some.Load() > 0 }

// join adds a request. It returns what is closed when all before it have left, nil for the first, and what takes the request out; it may be
// called more than once.
func (l *arrivals) join() (before <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := make(chan struct{})
	own := l.here.PushBack(turn)
	l.some.Add(1)
	if l.here.Front() != own {
		before = turn
	}
	return before, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		first := l.here.Front() == own
		l.here.Remove(own)
		l.some.Add(-1)
		if next := l.here.Front(); first && next != nil {
			close(next.Value.(chan struct{}))
		}
	})
}

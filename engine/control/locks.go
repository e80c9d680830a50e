package control

import "sync"

// nameLocks serialise operations on models that belong together. All names of an operation are taken at once or
// not at all, so two operations cannot wait for each other.
type nameLocks struct {
	mu   sync.Mutex // guards busy
	free *sync.Cond
	busy map[string]bool
}

func newNameLocks() *nameLocks {
	l := &nameLocks{busy: map[string]bool{}}
	l.free = sync.NewCond(&l.mu)
	return l
}

func (l *nameLocks) lock(names map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.anyBusy(names) {
		l.free.Wait()
	}
	for name := range names {
		l.busy[name] = true
	}
}

func (l *nameLocks) anyBusy(names map[string]bool) bool {
	for name := range names {
		if l.busy[name] {
			return true
		}
	}
	return false
}

func (l *nameLocks) unlock(names map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name := range names {
		delete(l.busy, name)
	}
	l.free.Broadcast()
}

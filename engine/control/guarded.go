package control

import "sync"

// guarded is a value that can be reached only through its lock. lock returns a pointer to the value;
// the caller must not use it after unlock. Methods of the value itself never lock.
type guarded[T any] struct {
	mu    sync.Mutex // guards value
	value T
}

func (g *guarded[T]) lock() *T {
	g.mu.Lock()
	return &g.value
}

func (g *guarded[T]) unlock() { g.mu.Unlock() }

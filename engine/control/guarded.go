package control

import "sync"

// guarded is a value that is reached through its lock alone: whoever has the pointer that lock gives
// holds the lock. Nobody keeps the pointer beyond unlock. Methods of the value itself never lock.
type guarded[T any] struct {
	mu    sync.Mutex // guards value
	value T
}

func (g *guarded[T]) lock() *T {
	g.mu.Lock()
	return &g.value
}

func (g *guarded[T]) unlock() { g.mu.Unlock() }

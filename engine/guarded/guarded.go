// Package guarded holds values that are reached only through their lock.
package guarded

import "sync"

// Value is a value with its lock. Only the caller that holds the lock has the pointer that Lock returns, and it does not
// keep the pointer after Unlock. The methods of the value itself never lock.
type Value[T any] struct {
	mu    sync.Mutex // guards value
	value T
}

// Lock takes the lock and returns the value.
func (g *Value[T]) Lock() *T {
	g.mu.Lock()
	return &g.value
}

// Unlock gives the lock back.
func (g *Value[T]) Unlock() { g.mu.Unlock() }

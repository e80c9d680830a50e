package unblocking

import "sync/atomic"

// Company knows which of the readers of a server was the last to get something, and whether one has been the only one for a while.
type Company[T any] struct {
	newest atomic.Pointer[T]
	alone  atomic.Int64 // how many times in a row
}

// while is how many times in a row a reader has to get something before it counts as the only one.
const while = 16

// Got notes that a reader has got something. It reports whether another one was the last before.
func (c *Company[T]) Got(r *T) (others bool) {
	if c.newest.Load() == r {
		c.alone.Add(1)
		return false
	}
	c.newest.Store(r)
	c.alone.Store(0)
	return true
}

// Alone reports whether a reader has been the only one for a while.
func (c *Company[T]) Alone(r *T) bool { return c.newest.Load() == r && c.alone.Load() >= while }

// Left forgets a reader.
func (c *Company[T]) Left(r *T) { c.newest.CompareAndSwap(r, nil) }

package unblocking

import "sync/atomic"

// Latest knows which reader of a server was the last to get something, and whether it has been the only one for a while.
type Latest[T any] struct {
	reader atomic.Pointer[T]
	row    atomic.Int64 // how many times in a row
}

// while is how many times in a row a reader gets something before it counts as the only one.
const while = 16

// Got notes that a reader gets something. It reports whether another one was the last before.
func (l *Latest[T]) Got(r *T) (others bool) {
	if l.reader.Load() == r {
		l.row.Add(1)
		return false
	}
	l.reader.Store(r)
	l.row.Store(0)
	return true
}

// Alone reports whether a reader has been the only one for a while.
func (l *Latest[T]) Alone(r *T) bool { return l.reader.Load() == r && l.row.Load() >= while }

// Left forgets a reader.
func (l *Latest[T]) Left(r *T) { l.reader.CompareAndSwap(r, nil) }

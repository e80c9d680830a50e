package text

// slabSize is how many nodes are allocated at once; configs have hundreds.
const slabSize = 32

// slab hands out zeroed nodes from larger blocks. The nodes of one document
// live and die together, so nothing is held longer than it would be.
type slab[T any] struct {
	free []T
}

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.free = make([]T, slabSize)
	}
	node := &s.free[0]
	s.free = s.free[1:]
	return node
}

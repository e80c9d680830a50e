package grpcapi

import (
	"math/bits"
	"sync"

	"google.golang.org/grpc/mem"
)

const (
	// smallestKept and largestKept are the sizes of the buffers that are kept. Others are left to the garbage collector. The largest
	// has room for a tensor of 16 MB with the rest of its message.
	smallestKept = 1 << 10
	largestKept  = 16<<20 + 64<<10
	// evenSize is the size up to which the capacity of a buffer is a power of two, so that it fits each later message of
	// its class. The capacity of a larger buffer is a multiple of page.
	evenSize = 64 << 10
	page     = 8 << 10
)

// buffers is the memory of incoming and outgoing messages. Unlike gRPC's own pool, it does not clear a buffer: the caller
// overwrites all of it. The garbage collector empties the pool, so that it holds nothing while nobody calls.
type buffers struct {
	classes [26]sync.Pool // of *[]byte; class n has capacities above 2^(n-1), up to 2^n
}

// shared is the pool of all servers.
var shared buffers

var _ mem.BufferPool = (*buffers)(nil)

// Get returns a buffer with size bytes, which can have any content.
func (p *buffers) Get(size int) *[]byte {
	if size < smallestKept || size > largestKept {
		b := make([]byte, size)
		return &b
	}
	class := bits.Len(uint(size - 1))
	if b, ok := p.classes[class].Get().(*[]byte); ok && cap(*b) >= size {
		*b = (*b)[:size]
		return b
	}
	room := 1 << class
	if size > evenSize {
		room = (size + page - 1) &^ (page - 1)
	}
	b := make([]byte, size, room)
	return &b
}

// Put takes a buffer back.
func (p *buffers) Put(b *[]byte) {
	if room := cap(*b); room >= smallestKept && room <= largestKept {
		p.classes[bits.Len(uint(room-1))].Put(b)
	}
}

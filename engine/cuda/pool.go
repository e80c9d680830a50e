package cuda

import (
	"math/bits"
	"sync"
)

// LeastPinned is the smallest piece of a pool. CUDA takes what is smaller over at once.
const LeastPinned = 64 << 10

// Pool lends memory of this machine from which GPUs copy, and to which they copy, directly. With other memory the driver copies by
// way of some of its own. Such memory cannot be swapped out, so there is a limit. A pool is safe for concurrent use; a nil one is
// empty.
type Pool struct {
	driver func() (*Driver, error)
	limit  int64

	mu    sync.Mutex
	taken int64             // bytes, also of what nobody uses at the moment
	free  map[int][]*Pinned // by size
	// broken is true when the driver is not there, or has no such memory left: it is not asked again.
	broken bool
}

// Pinned is a piece of a pool's memory.
type Pinned struct {
	whole  []byte
	device int
}

// Bytes is its memory, which may be larger than what was asked for.
func (p *Pinned) Bytes() []byte { return p.whole }

// NewPool returns a pool of so many bytes. The driver is opened once, when it is first needed.
func NewPool(limit int64, driver func() (*Driver, error)) *Pool {
	return &Pool{driver: sync.OnceValues(driver), limit: limit, free: map[int][]*Pinned{}}
}

// Lends reports whether the pool has pieces of a size at all.
func (p *Pool) Lends(size int) bool {
	return p != nil && size >= LeastPinned && int64(size) <= p.limit
}

// Take lends a piece of at least this size until Give; nil for a small one, and where there is none. device is one that is in use anyway:
// its context makes the piece, which is good for all devices.
func (p *Pool) Take(device, size int) *Pinned {
	if !p.Lends(size) {
		return nil
	}
	size = int(min(1<<bits.Len(uint(size-1)), p.limit)) // few sizes, so that others can use a piece again
	piece, idle, ok := p.reserve(size)
	if piece != nil || len(idle) == 0 && !ok {
		return piece
	}
	driver, err := p.driver()
	if err == nil {
		for _, other := range idle {
			driver.unpin(other)
		}
		if ok {
			piece, err = driver.pin(device, size)
		}
	}
	if err != nil && ok {
		p.miss(size)
	}
	return piece
}

// reserve returns a piece of a size that nobody uses, or counts a new one, which its caller pins. ok is false where there is no room.
// idle are pieces that went for it, which the caller unpins: what asks the driver may wait long, and others must not wait for that.
func (p *Pool) reserve(size int) (piece *Pinned, idle []*Pinned, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.free[size]; len(list) > 0 {
		p.free[size] = list[:len(list)-1]
		return list[len(list)-1], nil, true
	}
	if p.broken {
		return nil, nil, false
	}
	for other, list := range p.free {
		for p.taken+int64(size) > p.limit && len(list) > 0 {
			idle = append(idle, list[len(list)-1])
			list = list[:len(list)-1]
			p.free[other] = list
			p.taken -= int64(other)
		}
	}
	if p.taken+int64(size) > p.limit {
		return nil, idle, false
	}
	p.taken += int64(size)
	return nil, idle, true
}

// miss takes back what reserve has counted: the driver has no such memory.
func (p *Pool) miss(size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= int64(size)
	p.broken = true
}

// Sizes returns how much the pool may lend, and how much it lends at the moment; 0 where it has lent nothing yet.
func (p *Pool) Sizes() (total, used int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken == 0 {
		return 0, 0
	}
	used = p.taken
	for size, list := range p.free {
		used -= int64(size) * int64(len(list))
	}
	return p.limit, used
}

// Give gives a piece back.
func (p *Pool) Give(piece *Pinned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[len(piece.whole)] = append(p.free[len(piece.whole)], piece)
}

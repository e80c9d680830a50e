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

// NewPool returns a pool of so many bytes. The driver is opened when it is first needed.
func NewPool(limit int64, driver func() (*Driver, error)) *Pool {
	return &Pool{driver: driver, limit: limit, free: map[int][]*Pinned{}}
}

// Take lends a piece of at least this size until Give; nil for a small one, and where there is none. device is one that is in use anyway:
// its context makes the piece, which is good for all devices.
func (p *Pool) Take(device, size int) *Pinned {
	if p == nil || size < LeastPinned || int64(size) > p.limit {
		return nil
	}
	size = 1 << bits.Len(uint(size-1))
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.free[size]; len(list) > 0 {
		p.free[size] = list[:len(list)-1]
		return list[len(list)-1]
	}
	if p.broken || !p.room(int64(size)) {
		return nil
	}
	driver, err := p.driver()
	if err != nil {
		p.broken = true
		return nil
	}
	piece, err := driver.pin(device, size)
	if err != nil {
		p.broken = true
		return nil
	}
	p.taken += int64(size)
	return piece
}

// room makes room for a piece: others that nobody uses are freed for it.
func (p *Pool) room(size int64) bool {
	for other, list := range p.free {
		for p.taken+size > p.limit && len(list) > 0 {
			driver, err := p.driver()
			if err != nil {
				return false
			}
			driver.unpin(list[len(list)-1])
			list = list[:len(list)-1]
			p.free[other] = list
			p.taken -= int64(other)
		}
	}
	return p.taken+size <= p.limit
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

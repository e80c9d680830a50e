package repo

import (
	"slices"
	"sync"

	"conch/repo/scan"
)

// hub hands out states to subscribers.
type hub struct {
	mu     sync.Mutex // guards what follows, and sending to and closing of the channels
	subs   []chan *scan.Index
	closed bool
}

// subscribe asks for the state under the lock, so that none is missed between
// the first and the next.
func (h *hub) subscribe(state func() *scan.Index) (<-chan *scan.Index, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan *scan.Index, 1)
	c <- state()
	if h.closed {
		close(c)
		return c, func() {}
	}
	h.subs = append(h.subs, c)
	return c, func() { h.cancel(c) }
}

func (h *hub) cancel(c chan *scan.Index) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.subs, c); i >= 0 {
		h.subs = slices.Delete(h.subs, i, i+1)
		close(c)
	}
}

// publish replaces what a subscriber has not received yet. Nobody else sends,
// so after the old state is out there is room.
func (h *hub) publish(state func() *scan.Index) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.subs {
		select {
		case <-c:
		default:
		}
		c <- state()
	}
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.subs {
		close(c)
	}
	h.subs, h.closed = nil, true
}

package shortcut

import "time"

// tooLong is how long the reader may serve a call before another goroutine reads on.
const tooLong = 2 * time.Millisecond

// enter begins something that may take long.
func (c *Conn) enter() uint64 {
	at := c.state.Add(1)
	if !c.watched.Load() && c.watched.CompareAndSwap(false, true) {
		c.timer.Reset(tooLong)
	}
	return at
}

// leave ends it. It returns false when another goroutine reads meanwhile.
func (c *Conn) leave(at uint64) bool { return c.state.CompareAndSwap(at, at+1) }

// watch looks whether the reader does still the same.
func (c *Conn) watch() {
	now := c.state.Load()
	if now%2 == 1 && now == c.seen && c.state.CompareAndSwap(now, now+1) {
		if c.pace != nil {
			c.pace.stuck()
			c.pace = nil
			c.alone.left = company // what the client sent meanwhile has waited
		}
		c.in = append(make([]byte, 0, len(c.in)), c.in...)[:len(c.in)] // the stuck call reads the old one
		now++
		go c.serve()
	}
	if now != c.seen {
		c.seen = now
		c.timer.Reset(tooLong)
		return
	}
	c.watched.Store(false)
	if c.state.Load() != now && c.watched.CompareAndSwap(false, true) {
		c.timer.Reset(tooLong)
	}
}

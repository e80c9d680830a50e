package shortcut

import "slices"

// begun reports whether a call should still be served. A call waits in line while the connection's handlers are too many: a
// client can give up its calls faster than handlers return.
func (c *Conn) begun(k *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.over || c.err != nil {
		return false
	}
	if c.running < c.road.MaxStreams {
		c.running++
		return true
	}
	k.turn = make(chan struct{})
	c.line = append(c.line, k)
	c.mu.Unlock()
	<-k.turn
	c.mu.Lock()
	if k.over && k.counted {
		c.returned()
	}
	return !k.over
}

// returned gives the place of a handler to the next call in line. c.mu is held.
func (c *Conn) returned() {
	if len(c.line) == 0 {
		c.running--
		return
	}
	next := c.line[0]
	c.line = slices.Delete(c.line, 0, 1)
	next.counted = true
	close(next.turn)
}

// leaveLine takes a call out that is over. c.mu is held.
func (c *Conn) leaveLine(k *call) {
	if at := slices.Index(c.line, k); at >= 0 {
		c.line = slices.Delete(c.line, at, at+1)
		close(k.turn)
	}
}

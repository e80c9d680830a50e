package shortcut

import (
	"net"
	"time"
)

// Close implements net.Conn for gRPC's server. Calls that were admitted before the server said which one is the last are
// served first.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.conn.pipe.close(net.ErrClosed) // nobody reads it any more
	if c.last && !c.quiet() && c.err == nil {
		grace := c.road.Grace
		if left := grace - time.Since(c.since); grace == 0 || left > 0 {
			if grace > 0 {
				time.AfterFunc(left, c.abort)
			}
			return nil
		}
	}
	return c.shut()
}

// abort ends a connection at once.
func (c *Conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.shut()
}

func (c *Conn) shut() error {
	c.failed(net.ErrClosed)
	c.conn.pipe.close(net.ErrClosed)
	c.sweeper.Stop()
	err := c.Conn.Close()
	c.greet() // the reader ends what it has
	return err
}

// goodbye lets no call begin any more, and ends the connection when all is written, or when the client does not take it. c.mu is
// held.
func (c *Conn) goodbye(code uint32, text string) {
	c.out = appendGoAway(c.out, c.admitted, code, text)
	c.leaving, c.last, c.closed, c.over = true, true, true, true
	time.AfterFunc(c.road.Patience, c.abort)
}

// endIfOver closes a connection whose last call has its answer. c.mu is held.
func (c *Conn) endIfOver() {
	if !c.closed || c.err != nil || len(c.out) > 0 || c.writing {
		return
	}
	if c.curt || c.quiet() && (len(c.theirs) == 0 || !c.over) {
		time.AfterFunc(lastWords, c.abort)
		c.closed = false
	}
}

// quiet reports whether nothing is left to be sent here. c.mu is held.
func (c *Conn) quiet() bool {
	return len(c.mine) == 0 && len(c.held) == 0 && len(c.out) == 0 && !c.writing
}

// lastWords is how long a client has to read what was written before its connection ends.
const lastWords = time.Second

// sweep ends a connection that has rested for long, one that gRPC's server has not begun with, and one whose client reads none
// of its answers while memory is short. It runs as long as the connection.
func (c *Conn) sweep() {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	if c.stalled() || !c.greeted && time.Since(c.rested) > c.road.Patience {
		_ = c.shut()
		c.mu.Unlock()
		return
	}
	rests := len(c.mine)+len(c.theirs) == 0 && !c.over
	if rests && time.Since(c.rested) > c.road.Idle {
		c.goodbye(codeNone, "max_idle")
	}
	c.sweeper.Reset(c.step())
	c.mu.Unlock()
	c.flush()
}

// step is how often a connection is looked at.
func (c *Conn) step() time.Duration {
	if c.holdsAnswers() {
		return c.road.Patience / 2
	}
	return c.road.Idle / 2
}

// stalled reports whether the client reads none of its waiting answers while more than half of the memory is in use.
func (c *Conn) stalled() bool {
	memory := c.road.Memory
	return c.holdsAnswers() && time.Since(c.moved) > 2*c.road.Patience && memory.Limit() > 0 && memory.Used() > memory.Limit()/2
}

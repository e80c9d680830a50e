package shortcut

import (
	"encoding/binary"
	"slices"
	"time"
)

const (
	// passWindow is how much gRPC's server may send before the client takes it.
	passWindow = 1 << 20
	passStep   = 64 << 10
)

// outgoing is what gRPC's server sends. The writer's lock guards it.
type outgoing struct {
	rest       []byte // the beginning of a frame
	unfinished []byte // headers without their end
	held       []frame
	holding    map[uint32]int // frames of a call in held
	given      int            // bytes sent that gRPC's server may send again
	told       bool           // the client knows that HPACK's table is not used
	greeted    bool           // gRPC's server has sent its settings, and the client is read
	leaving    bool           // gRPC's server wants the client to leave
	final      bool           // it takes no more calls
	last       bool           // it has said which call is the last
	since      time.Time      // since it has first said so
	closed     bool           // it has closed the connection
	curt       bool           // the connection ends without its calls
}

// Write implements net.Conn for gRPC's server.
func (c *Conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	for c.due() > outRoom && c.err == nil {
		c.gone.Wait()
	}
	if err := c.err; err != nil {
		c.mu.Unlock()
		return 0, err
	}
	c.sends(b)
	greeted := c.greeted
	c.mu.Unlock()
	c.flush()
	if !greeted {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.greet()
	}
	return len(b), nil
}

// greet begins to read the client. c.mu is held.
func (c *Conn) greet() {
	if !c.greeted {
		c.greeted = true
		go c.conn.serve()
	}
}

// sends reads the frames of gRPC's server. c.mu is held.
func (c *Conn) sends(b []byte) {
	if len(c.rest) > 0 {
		c.rest = append(c.rest, b...)
		b = c.rest
	}
	for f := cut(b); f != nil; f = cut(b) {
		b = b[len(f):]
		c.send(f)
	}
	c.rest = append([]byte(nil), b...)
}

func (c *Conn) send(f frame) {
	if len(c.unfinished) > 0 || f.kind() == typeHeaders && !f.has(flagEndHeaders) {
		c.unfinished = append(c.unfinished, f...) // nothing may come between the parts of a block
		if f.has(flagEndHeaders) {
			c.headersEnd(c.unfinished)
			c.unfinished = nil
		}
		return
	}
	switch f.kind() {
	case typeHeaders:
		c.headersEnd(f)
	case typeData:
		if f.has(flagEndStream) {
			c.passedEnded(f.id())
		}
		if n := len(f.payload()); len(c.held) == 0 && c.due() < outRoom && int64(n) <= c.window {
			c.sendData(f)
			return
		}
		c.hold(f)
		c.pump()
	case typeReset:
		c.passedEnded(f.id())
		if c.endHeld(f.id()) {
			c.hold(f) // the call has ended, and the client should send no more
			return
		}
		c.unhold(f.id())
		c.out = append(c.out, f...)
	case typeGoAway:
		c.goesAway(slices.Clone(f))
	case typeSettings:
		c.settingsOut(f)
	default:
		c.out = append(c.out, f...)
	}
}

// settingsOut sends settings of gRPC's server, and its acknowledgements behind the data that it sent before them.
func (c *Conn) settingsOut(f frame) {
	switch {
	case !f.has(flagAck):
		c.out = append(c.out, f...)
	case len(c.held) > 0:
		c.hold(f)
	default:
		c.settle(f)
		c.pump()
	}
}

// headersEnd sends headers, with their continuations, behind all of their call.
func (c *Conn) headersEnd(f frame) {
	if f.has(flagEndStream) {
		c.passedEnded(f.id())
	}
	if c.holding[f.id()] > 0 {
		c.hold(f)
		return
	}
	c.sendHeaders(f)
}

func (c *Conn) sendHeaders(f frame) {
	if f.has(flagEndHeaders) {
		c.headersOut(f.id(), withoutSizes(f.payload()), f.flags())
		return
	}
	c.fresh = true
	c.out, c.told = append(c.out, f...), true // the first block of gRPC's server sets the size of the table
}

func (c *Conn) sendData(f frame) {
	c.out = append(c.out, f...)
	c.window -= int64(len(f.payload()))
	c.fresh = true
	c.give(len(f.payload()))
}

// hold keeps a frame until the client takes it.
func (c *Conn) hold(f frame) {
	if c.holding == nil {
		c.holding = map[uint32]int{}
	}
	c.holding[f.id()]++
	c.held = append(c.held, slices.Clone(f))
}

// endHeld reports whether the last headers of a call are held.
func (c *Conn) endHeld(id uint32) bool {
	if c.holding[id] == 0 {
		return false
	}
	for _, f := range slices.Backward(c.held) {
		if f.id() == id {
			return f.kind() == typeHeaders && f.has(flagEndStream)
		}
	}
	return false
}

// unhold drops the frames of a call.
func (c *Conn) unhold(id uint32) {
	if c.holding[id] == 0 {
		return
	}
	delete(c.holding, id)
	c.held = slices.DeleteFunc(c.held, func(f frame) bool {
		if f.id() == id && f.kind() == typeData {
			c.give(len(f.payload()))
		}
		return f.id() == id
	})
}

// pumpHeld moves a held frame, or a part of it, to out.
func (c *Conn) pumpHeld() bool {
	if len(c.held) == 0 {
		return false
	}
	f := c.held[0]
	switch f.kind() {
	case typeHeaders:
		c.sendHeaders(f)
		c.release(f)
		return true
	case typeReset:
		c.out = append(c.out, f...)
		c.release(f)
		return true
	case typeSettings:
		c.settle(f)
		c.release(f)
		return true
	}
	n := len(f.payload())
	if m := int(min(int64(n), c.window)); m < n {
		if m <= 0 {
			return false
		}
		c.out = append(begin(c.out, m, typeData, f.flags()&^flagEndStream, f.id()), f.payload()[:m]...)
		c.window -= int64(m)
		c.give(m)
		c.held[0] = f[m:] // the header of the rest lies on what was sent
		begin(f[m:m], n-m, typeData, f.flags(), f.id())
		return true
	}
	c.sendData(f)
	c.release(f)
	return true
}

func (c *Conn) release(f frame) {
	c.held = c.held[1:]
	if len(c.held) == 0 {
		c.held = nil
	}
	if c.holding[f.id()]--; c.holding[f.id()] <= 0 {
		delete(c.holding, f.id())
	}
}

// give lets gRPC's server send more.
func (c *Conn) give(n int) {
	if c.given += n; c.given >= passStep {
		c.conn.pipe.put(appendWindowUpdate(nil, 0, c.given))
		c.given = 0
	}
}

// passedEnded records the end of a call that was passed on.
func (c *Conn) passedEnded(id uint32) {
	delete(c.theirs, id)
	c.rested = time.Now()
}

// goesAway passes the end of the connection on. gRPC's server does not know all calls.
func (c *Conn) goesAway(f frame) {
	if !c.leaving {
		c.leaving, c.since = true, time.Now()
	}
	b := f.payload()
	last := binary.BigEndian.Uint32(b) &^ (1 << 31)
	if last == largestID {
		c.out = append(c.out, f...)
		return
	}
	c.final, c.last = true, binary.BigEndian.Uint32(b[4:]) == codeNone
	binary.BigEndian.PutUint32(b, max(last, c.admitted))
	c.out = append(c.out, f...)
	for id := range c.theirs { // gRPC's server drops those that it had not begun with
		if id > last {
			c.out = appendReset(c.out, id, codeRefused)
			c.passedEnded(id)
		}
	}
}

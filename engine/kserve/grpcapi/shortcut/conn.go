package shortcut

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

const (
	// A connection reads into a small buffer until more comes at once; then its buffer grows by steps.
	smallBuffer = 4 << 10
	bufferStep  = 8
	largeBuffer = 128 << 10
	// hesitation is how long the rest of a message is waited for here. The call of a slower client is passed on.
	hesitation = time.Second
	// flushStep is how long the reader serves calls before it sends the first answers.
	flushStep = 100 * time.Microsecond
	// shareStep is how much work the reader has before it gives one half away. It is far more than the wake-up of another
	// goroutine costs.
	shareStep = 250 * time.Microsecond
)

// Conn is what gRPC's server takes for the connection of a client.
type Conn struct {
	net.Conn // the client's
	road     *Road
	ctx      context.Context
	cancel   context.CancelFunc
	pipe     pipe // to gRPC's server
	socket   socket

	// What follows belongs to the goroutine that reads.
	in        []byte // what was read; from lo to hi it is not served yet
	lo, hi    int
	opening   int  // bytes of the preface that are missing
	settled   bool // the client's first settings were passed on
	raw       bool // all is passed on as it is, because the client has broken the protocol
	deaf      bool // nothing is read any more
	heads     heads
	block     []byte      // the begun block of headers
	blockID   uint32      // whose it is; 0 for none
	blockSize int         // bytes of its frames
	lone      bool        // the block ends its call's message
	trailing  bool        // its call has begun with another block
	newest    uint32      // the highest call
	gathering []*gathered // in their order
	hurried   bool        // the alarm is set
	alarmed   time.Time   // when it rings
	alarm     alarm
	calls     []*call // that nobody serves yet
	taken     int     // bytes of messages that the client may send again; negative when it was told of too many

	// watch
	state   atomic.Uint64 // odd while the reader serves a call or writes
	watched atomic.Bool
	seen    uint64
	timer   *time.Timer
	pace    *pace
	alone   alone

	writer
}

func (c *Conn) init(ctx context.Context) {
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.opening = len(preface)
	c.in = make([]byte, smallBuffer)
	c.pipe.init()
	c.heads.init(c.road.MaxHeader)
	c.writer.init(c)
	c.timer = time.AfterFunc(time.Hour, c.watch)
	c.timer.Stop()
	c.alarm.init(c.Conn)
	c.rested = time.Now()
	c.sweeper = time.AfterFunc(time.Hour, c.sweep)
	c.sweeper.Stop() // until all is there that it looks at
}

// Read implements net.Conn for gRPC's server.
func (c *Conn) Read(b []byte) (int, error) { return c.pipe.Read(b) }

// serve reads until the connection ends, or until another goroutine has taken over.
func (c *Conn) serve() {
	for {
		if !c.run() {
			return
		}
		if !c.fill() {
			return
		}
		c.read()
		c.pipe.await()
	}
}

// run serves the calls that have been read, and sends what waits. It returns false when another goroutine
// reads meanwhile.
func (c *Conn) run() bool {
	flushed := time.Now()
	c.count()
	for len(c.calls) > 0 {
		next := c.calls[0]
		quick := next.pace.quick()
		alone := !quick && c.isAlone(next)
		if !quick && !alone {
			c.calls = c.calls[1:]
			c.road.start(batchOf(next))
			continue
		}
		c.share(next.pace)
		c.calls = c.calls[1:]
		c.pace = next.pace
		at := c.enter()
		next.serve()
		if !alone && time.Since(flushed) > flushStep {
			c.flush()
			flushed = time.Now()
		}
		if !c.leave(at) {
			c.flush()
			return false
		}
		if alone {
			c.alone.learn()
		}
	}
	if !c.waiting() {
		return true
	}
	c.pace = nil
	at := c.enter()
	c.flush()
	if !c.leave(at) {
		return false
	}
	c.throttle()
	return true
}

// share gives one half of many calls to another goroutine.
func (c *Conn) share(p *pace) {
	if len(c.calls) < 4 || time.Duration(p.mean.Load()*int64(len(c.calls))) < shareStep {
		return
	}
	half := batchOf(c.calls[len(c.calls)/2:]...)
	c.calls = c.calls[:len(c.calls)/2]
	c.road.start(half)
	half.watch()
}

// fill reads more. It returns false when the connection has ended.
func (c *Conn) fill() bool {
	if c.lo > 0 {
		c.hi = copy(c.in, c.in[c.lo:c.hi])
		c.lo = 0
	}
	c.hurry()
	c.prepare()
	n, err := c.socket.in.Read(c.in[c.hi:])
	c.hi += n
	if err != nil && late(err) && c.alarm.rang() {
		c.passLate()
		c.calm()
		err = nil
	}
	if err != nil {
		c.end(err)
		return false
	}
	if c.hi == len(c.in) && len(c.in) < largeBuffer {
		size := min(bufferStep*len(c.in), largeBuffer)
		c.in = append(make([]byte, 0, size), c.in...)[:size]
	}
	return true
}

func late(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// hurry sets how long the rest of a message is waited for.
func (c *Conn) hurry() {
	switch {
	case len(c.gathering) == 0 && c.hurried:
		c.calm()
	case len(c.gathering) > 0 && !c.hurried:
		c.hurried, c.alarmed = true, c.soonest()
		c.alarm.set(time.Until(c.alarmed))
	}
}

func (c *Conn) calm() {
	c.hurried = false
	c.alarm.end()
}

// end ends all calls.
func (c *Conn) end(err error) {
	for _, g := range c.gathering {
		g.free(c.road.Pool)
	}
	c.gathering = nil
	c.alarm.end()
	c.fail(err)
	c.cancel()
	c.pipe.close(err)
	c.road.forget(c)
}

// read serves the whole frames.
func (c *Conn) read() {
	if n := min(c.opening, c.hi-c.lo); n > 0 {
		at := len(preface) - c.opening
		c.raw = c.raw || string(c.in[c.lo:c.lo+n]) != preface[at:at+n]
		c.pipe.put(c.in[c.lo : c.lo+n])
		c.opening -= n
		c.lo += n
	}
	for !c.raw {
		b := c.in[c.lo:c.hi]
		if len(b) >= frameHeader && payloadSize(b) > largestFrame {
			c.tooLarge()
			break
		}
		f := cut(b)
		if f == nil {
			return
		}
		c.lo += len(f)
		c.frame(f)
	}
	if !c.deaf {
		c.pipe.put(c.in[c.lo:c.hi])
	}
	c.lo = c.hi
}

func (c *Conn) tooLarge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendAway(codeFrameSize, "frame too large")
}

// sendAway ends the connection of a client that does what it may not. Nothing of it is read any more. c.mu is held.
func (c *Conn) sendAway(code uint32, text string) {
	c.goodbye(code, text)
	c.curt, c.raw, c.deaf = true, true, true
}

// frame serves a frame, or passes it on.
func (c *Conn) frame(f frame) {
	if c.blockID != 0 && (f.kind() != typeContinuation || f.id() != c.blockID) || !c.settled && !f.settles() {
		c.violate()
		return
	}
	switch f.kind() {
	case typeData:
		c.data(f)
	case typeHeaders:
		c.headers(f)
	case typeContinuation:
		c.continuation(f)
	case typeReset:
		c.givenUp(f)
	case typeSettings:
		c.settings(f)
	case typePing:
		c.ping(f)
	case typeWindowUpdate:
		c.widen(f)
	default:
		c.pipe.put(f)
	}
}

// violate lets gRPC's server end a connection whose client has broken the protocol.
func (c *Conn) violate() {
	c.pipe.put(begin(nil, 0, typeHeaders, flagEndHeaders, 0)) // no call has this number
	c.raw = true
}

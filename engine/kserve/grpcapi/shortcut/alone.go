package shortcut

import (
	"net"
	"syscall"
	"time"

	"conch/engine/unblocking"
)

const (
	// aloneCall is the mean time of a call that the reader serves when its client waits for nothing else.
	aloneCall = time.Millisecond
	// company is how many calls other goroutines serve when a client has sent more while the reader served one.
	company = 32
	// mostWithout is how many readings without a call are followed by a spin. Clients send pings and windows between calls.
	mostWithout = 4
)

// alone finds out whether a client waits for one call at a time. The reader serves such a call also where its model can run several
// at once: nothing is late then, and no other goroutine has to be woken.
type alone struct {
	raw   syscall.RawConn // nil where it cannot be found out
	left  int             // calls until the reader tries again
	early [256]byte       // what has come while a call was served
	have  int             // how much of early that is
	look  func(fd uintptr) bool

	without int // readings in a row without a call
}

func (a *alone) init(c net.Conn) {
	a.raw = unblocking.Raw(c) // without it, other goroutines serve
	a.look = func(fd uintptr) bool {
		n, err := unblocking.Peek(fd, a.early[:])
		if a.have = n; err != nil {
			a.have = 0
		}
		return true
	}
}

// isAlone reports whether the reader should serve a call because there is no other.
func (c *Conn) isAlone(k *call) bool {
	a := &c.alone
	if a.raw == nil || k.pace.config == nil || len(c.calls) > 1 || c.lo < c.hi || k.pace.mean.Load() >= int64(aloneCall) {
		return false
	}
	if a.left > 0 {
		a.left--
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.mine) == 1 && len(c.theirs) == 0
}

// learn looks whether the client has begun one more call than the one that was served, whose answer has not gone out. Clients also
// send pings and windows, which tell nothing.
func (a *alone) learn() {
	if a.raw.Read(a.look) != nil {
		return
	}
	for b := a.early[:a.have]; len(b) >= frameHeader; b = b[min(len(b), frameHeader+payloadSize(b)):] {
		if frame(b).kind() == typeHeaders {
			a.left = company
			return
		}
	}
}

// count notes whether one call came or several.
func (c *Conn) count() {
	switch len(c.calls) {
	case 0:
		c.alone.without++
		return
	case 1:
		c.road.latest.Got(c)
	default:
		c.road.latest.Got(nil)
	}
	c.alone.without = 0
}

// prepare has the next read spin where this is the only client that is served, and has no other call.
func (c *Conn) prepare() {
	if c.socket.spin == nil || c.alone.without > mostWithout || !c.road.latest.Alone(c) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.mine) == len(c.gathering) && len(c.theirs) == 0 {
		c.socket.spin.Prepare()
	}
}

package shortcut

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"google.golang.org/grpc/mem"

	"conch/engine/budget"
)

const (
	prefix = 5 // of a message: whether it is compressed, and its size
	// largestMessage is the largest message that is gathered.
	largestMessage = Window - prefix
	// Memory for a whole message is taken when its first part comes, but no more than firstRoom; when that is full, the rest is
	// taken. A message of more than smallMessage is gathered only when it is no more than leverage times its first part, or that
	// fills a frame: few bytes must not hold much memory.
	smallMessage = 16 << 10
	firstRoom    = 1 << 20
	leverage     = 128
	// progress is how much of a message must come while its rest is waited for, so that the wait begins again.
	progress = 1 << 20
)

// Window is how much of a call a client may send at once: a tensor of 16 MB with the rest of its message. gRPC's server has to
// have it too, because a call may be passed on when its message has come almost as a whole.
const Window = 16<<20 + 64<<10

// gathered is a call whose message arrives.
type gathered struct {
	*call
	began   time.Time
	since   time.Time // when the wait for its rest began
	memory  *[]byte   // of the pool, for the message with its prefix; nil before its first part
	have    int
	whole   int // its length with its prefix; 0 before its first part
	account budget.Account
}

// gather begins to gather a call.
func (c *Conn) gather(k *call) {
	g := &gathered{call: k, account: c.road.Memory.Open(), began: time.Now()}
	g.since = g.began
	c.gathering = append(c.gathering, g)
	if c.hurried && c.until(g).Before(c.alarmed) {
		c.hurried = false // so that the alarm is set again, to the earlier time
	}
}

// until is when a message must have come. gRPC's server needs some of the call's time, to end the call in words.
func (c *Conn) until(g *gathered) time.Time {
	due := g.since.Add(min(hesitation, c.road.Patience/2))
	if t := g.head.timeout; t > 0 {
		if half := g.began.Add(t / 2); half.Before(due) {
			return half
		}
	}
	return due
}

// soonest is when the first of the messages must have come. There is one.
func (c *Conn) soonest() time.Time {
	due := c.until(c.gathering[0])
	for _, g := range c.gathering[1:] {
		if at := c.until(g); at.Before(due) {
			due = at
		}
	}
	return due
}

// left is what is left of a call's timeout, of which it has something always; 0 for a call without one.
func (g *gathered) left() time.Duration {
	if g.head.timeout == 0 {
		return 0
	}
	return max(g.head.timeout-time.Since(g.began), 1)
}

// find returns the place of a call among those that are gathered.
func (c *Conn) find(id uint32) (at int, ok bool) {
	return slices.BinarySearchFunc(c.gathering, id, func(g *gathered, id uint32) int { return cmp.Compare(g.id, id) })
}

// data serves a part of a message.
func (c *Conn) data(f frame) {
	end := f.has(flagEndStream)
	at, ok := c.find(f.id())
	if !ok {
		if c.served(f.id(), end) { // the message had ended
			c.take(len(f.payload()))
			c.stop(f.id(), codeStreamClosed)
			return
		}
		c.pipe.put(f)
		return
	}
	g := c.gathering[at]
	b, ok := f.content()
	if !ok {
		c.violate()
		return
	}
	if g.memory == nil && len(b) >= prefix && b[0] == 0 && end && int(binary.BigEndian.Uint32(b[1:])) == len(b)-prefix && len(b) <= largestMessage {
		c.gathering = slices.Delete(c.gathering, at, at+1)
		c.take(len(f.payload()))
		c.begin(g, mem.SliceBuffer(b[prefix:]), true)
		return
	}
	if !c.add(g, b, end) {
		c.passUntil(at)
		c.served(g.id, end)
		c.pipe.put(f)
		return
	}
	c.take(len(f.payload())) // otherwise many large messages could use up the connection's window, and none would end
	if end {
		c.gathering = slices.Delete(c.gathering, at, at+1)
		c.begin(g, mem.NewBuffer(g.memory, c.road.Pool), false)
	}
}

// add adds a part. It returns false when the call is not for here.
func (c *Conn) add(g *gathered, b []byte, end bool) bool {
	if g.whole == 0 {
		if len(b) < prefix || b[0] != 0 {
			return false
		}
		size := int(binary.BigEndian.Uint32(b[1:]))
		if size > largestMessage || size > smallMessage && leverage*len(b) < min(size, firstRoom) {
			return false
		}
		g.whole = size + prefix
	}
	have := g.have + len(b)
	if have > g.whole || end && have < g.whole || !c.makeRoom(g, have) {
		return false
	}
	copy((*g.memory)[g.have:], b)
	if have/progress > g.have/progress {
		g.since = time.Now()
	}
	g.have = have
	return true
}

// makeRoom takes memory for so many bytes of a message. It returns false when there is none.
func (c *Conn) makeRoom(g *gathered, size int) bool {
	if g.memory != nil && size <= len(*g.memory) {
		return true
	}
	room := min(g.whole, firstRoom)
	if size > room {
		room = g.whole
	}
	if g.account.Grow(int64(room)-g.account.Held()) != nil {
		return false
	}
	memory := c.road.Pool.Get(room)
	if g.memory != nil {
		copy(*memory, g.part())
		c.road.Pool.Put(g.memory)
	}
	g.memory = memory
	return true
}

// passUntil passes on what is gathered, up to a place in the order of the calls: gRPC's server wants them in order.
func (c *Conn) passUntil(at int) {
	for _, g := range c.gathering[:at+1] {
		more, ok := c.adopt(g.call)
		if !ok {
			g.free(c.road.Pool)
			continue
		}
		c.pass(g.id, g.head, false, g.left())
		if more > 0 {
			c.pipe.put(appendWindowUpdate(nil, g.id, int(more)))
		}
		for rest := g.part(); len(rest) > 0; {
			n := min(len(rest), largestFrame)
			c.pipe.put(append(begin(nil, n, typeData, 0, g.id), rest[:n]...))
			rest = rest[n:]
		}
		c.take(-g.have) // gRPC's server lets the client send that again too
		g.free(c.road.Pool)
	}
	c.gathering = slices.Delete(c.gathering, 0, at+1)
}

// passLate passes on the calls whose clients are slow.
func (c *Conn) passLate() {
	now, last := time.Now(), -1
	for i, g := range c.gathering {
		if !c.until(g).After(now) {
			last = i
		}
	}
	c.passUntil(last)
}

func (c *Conn) passAll() {
	c.passUntil(len(c.gathering) - 1)
}

func (g *gathered) part() []byte {
	if g.memory == nil {
		return nil
	}
	return (*g.memory)[:g.have]
}

func (g *gathered) free(pool mem.BufferPool) {
	g.account.Close()
	if g.memory != nil {
		pool.Put(g.memory)
		g.memory = nil
	}
}

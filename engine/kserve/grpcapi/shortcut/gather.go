package shortcut

import (
	"encoding/binary"
	"slices"
	"time"

	"google.golang.org/grpc/mem"

	"conch/engine/budget"
)

const (
	prefix = 5 // of a message: whether it is compressed, and its size
	// largestMessage is the largest message that is gathered. The window of a call lets a client send it at once.
	largestMessage = 1 << 20
)

// gathered is a call whose message arrives.
type gathered struct {
	*call
	until   time.Time // its message must have come
	memory  *[]byte   // of the pool, for the message with its prefix; nil before its first part
	have    int
	wire    int // bytes of its frames, with padding, that the client may not send again yet
	account budget.Account
}

// gather begins to gather a call.
func (c *Conn) gather(k *call) {
	g := &gathered{call: k, account: c.road.Memory.Open(), until: time.Now().Add(min(hesitation, c.road.Patience/2))}
	c.gathering = append(c.gathering, g)
}

// data serves a part of a message.
func (c *Conn) data(f frame) {
	at := slices.IndexFunc(c.gathering, func(g *gathered) bool { return g.id == f.id() })
	if at < 0 {
		if c.served(f.id()) { // the message had ended
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
	end := f.has(flagEndStream)
	if g.memory == nil && len(b) >= prefix && b[0] == 0 && end && int(binary.BigEndian.Uint32(b[1:])) == len(b)-prefix && len(b) <= largestMessage {
		c.gathering = slices.Delete(c.gathering, at, at+1)
		c.take(len(f.payload()))
		c.begin(g, mem.SliceBuffer(b[prefix:]), true)
		return
	}
	if !c.add(g, b, end) {
		c.passUntil(at)
		c.pipe.put(f)
		return
	}
	g.wire += len(f.payload())
	if end {
		c.gathering = slices.Delete(c.gathering, at, at+1)
		c.take(g.wire)
		c.begin(g, mem.NewBuffer(g.memory, c.road.Pool), false)
	}
}

// add adds a part. It returns false when the call is not for here.
func (c *Conn) add(g *gathered, b []byte, end bool) bool {
	if g.memory == nil {
		if len(b) < prefix || b[0] != 0 {
			return false
		}
		size := int(binary.BigEndian.Uint32(b[1:]))
		if size > largestMessage || g.account.Grow(int64(size+prefix)) != nil {
			return false
		}
		g.memory = c.road.Pool.Get(size + prefix)
	}
	if g.have+len(b) > len(*g.memory) || end && g.have+len(b) < len(*g.memory) {
		return false
	}
	g.have += copy((*g.memory)[g.have:], b)
	return true
}

// passUntil passes on what is gathered, up to a place in the order of the calls: gRPC's server wants them in order.
func (c *Conn) passUntil(at int) {
	for _, g := range c.gathering[:at+1] {
		more := c.adopt(g.call)
		c.pass(g.id, g.head, false)
		if more > 0 {
			c.pipe.put(windowUpdate(nil, g.id, int(more)))
		}
		for rest := g.part(); len(rest) > 0; {
			n := min(len(rest), largestFrame)
			c.pipe.put(append(begin(nil, n, typeData, 0, g.id), rest[:n]...))
			rest = rest[n:]
		}
		c.take(g.wire - g.have)
		g.free(c.road.Pool)
	}
	c.gathering = slices.Delete(c.gathering, 0, at+1)
}

// passLate passes on the calls whose clients are slow.
func (c *Conn) passLate() {
	now, n := time.Now(), 0
	for n < len(c.gathering) && !c.gathering[n].until.After(now) {
		n++
	}
	c.passUntil(n - 1)
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

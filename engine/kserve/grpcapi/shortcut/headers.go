package shortcut

import (
	"fmt"
	"strings"
	"time"
)

// headers begins a block.
func (c *Conn) headers(f frame) {
	block, ok := f.content()
	id := f.id()
	if !ok {
		c.violate()
		return
	}
	c.trailing = id <= c.newest
	if id%2 == 0 || c.trailing && !c.open(id) {
		c.illegal(id)
		return
	}
	c.newest = max(c.newest, id)
	c.lone = f.has(flagEndStream)
	if f.has(flagEndHeaders) {
		c.head(id, block)
		return
	}
	c.block, c.blockID, c.blockSize = append(c.block[:0], block...), id, len(block)
}

func (c *Conn) continuation(f frame) {
	c.blockSize += len(f) // with its head: empty frames would go on for ever otherwise
	if c.blockID == 0 || c.blockSize > 2*c.road.MaxHeader {
		c.violate()
		return
	}
	c.block = append(c.block, f.payload()...)
	if f.has(flagEndHeaders) {
		id := c.blockID
		c.blockID = 0
		c.head(id, c.block)
		c.block = nil
	}
}

// head begins a call, or ends its message.
func (c *Conn) head(id uint32, block []byte) {
	h, err := c.heads.read(c.ctx, c.road.Path, block)
	switch {
	case err != nil:
		c.pipe.put(append(begin(nil, 1, typeHeaders, flagEndHeaders, id), 0x80)) // not HPACK either
		c.raw = true
	case c.trailing:
		c.trailersOf(id, h)
	case h.large:
		c.refuse(id, codeFrameSize)
	default:
		c.call(id, h)
	}
}

func (c *Conn) call(id uint32, h *head) {
	k, passed := c.admit(id, h)
	if k != nil {
		c.gather(k)
	}
	if passed {
		c.passAll()
		c.pass(id, h, c.lone, 0)
	}
}

// trailersOf ends the message of a call. gRPC gives the trailers of a client no meaning, and gRPC's server does not know them.
func (c *Conn) trailersOf(id uint32, h *head) {
	for _, f := range h.fields {
		if strings.HasPrefix(f.Name, ":") {
			c.lone = false
		}
	}
	if !c.lone {
		c.illegal(id)
		return
	}
	c.data(begin(nil, 0, typeData, flagEndStream, id))
}

// illegal ends a connection whose client has sent headers that no call can have.
func (c *Conn) illegal(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendAway(codeProtocol, fmt.Sprintf("received an illegal stream id: %d", id))
}

// pass passes headers on. They can be far longer than the client has sent them, so this waits for gRPC's reader. left is what is left of
// the call's timeout; 0 leaves that as it came.
func (c *Conn) pass(id uint32, h *head, ended bool, left time.Duration) {
	flags := byte(0)
	if ended {
		flags = flagEndStream
	}
	block := c.heads.write(h, left)
	c.pipe.await()
	c.pipe.put(appendBlock(make([]byte, 0, len(block)+2*frameHeader), id, block, flags))
}

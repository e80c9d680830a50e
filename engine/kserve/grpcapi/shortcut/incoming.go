package shortcut

import (
	"encoding/binary"
	"slices"
	"time"
)

// givenUp ends a call that the client has given up.
func (c *Conn) givenUp(f frame) {
	id := f.id()
	if len(f.payload()) != 4 {
		c.pipe.put(f)
		return
	}
	if i, ok := c.find(id); ok {
		c.gathering[i].free(c.road.Pool)
		c.gathering = slices.Delete(c.gathering, i, i+1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.mine[id]; k != nil {
		c.drop(k)
		return
	}
	c.unhold(id)
	if c.past(id) {
		return
	}
	c.passedEnded(id)
	c.pipe.put(f)
}

// past reports whether a call has ended, wherever it was served. Clients send window updates for such a call with each
// answer. c.mu is held.
func (c *Conn) past(id uint32) bool {
	_, goesOn := c.theirs[id]
	return id%2 == 1 && id <= c.newest && !goesOn
}

// open reports whether the client may send more of a call.
func (c *Conn) open(id uint32) bool {
	if _, ok := c.find(id); ok {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.theirs[id]
}

// settings reads what is for the answers here, and tells gRPC's server not to use HPACK's table.
func (c *Conn) settings(f frame) {
	b := f.payload()
	if f.has(flagAck) || f.id() != 0 || len(b)%6 != 0 {
		c.pipe.put(f)
		return
	}
	var pass []byte
	initial := unchanged
	for ; len(b) > 0; b = b[6:] {
		id, value := binary.BigEndian.Uint16(b), binary.BigEndian.Uint32(b[2:])
		switch {
		case id == settingTableSize:
			continue
		case id == settingInitialWindow && value <= largestID:
			initial = int64(value)
		case id == settingMaxHeaders:
			c.setMostHeaders(int64(value))
		}
		pass = append(pass, b[:6]...)
	}
	if !c.agree(initial) {
		return
	}
	first := !c.settled
	if first {
		c.settled = true
		pass = append(pass, 0, settingTableSize, 0, 0, 0, 0)
	}
	out := append(begin(nil, len(pass), typeSettings, 0, 0), pass...)
	if first {
		out = appendWindowUpdate(out, 0, passWindow-usualWindow)
	}
	c.pipe.put(out)
}

const (
	// unchanged stands for the windows of settings that do not tell them.
	unchanged = int64(-1)
	// mostUnsettled is how many settings of a client may wait for their acknowledgement. Clients have one.
	mostUnsettled = 100
)

// agree narrows windows at once, and keeps wider ones until the client is told that it was heard. It returns false when the
// connection ends because too many settings wait.
func (c *Conn) agree(initial int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unsettled) >= mostUnsettled {
		c.sendAway(codeTooMuch, "too_many_settings")
		return false
	}
	c.unsettled = append(c.unsettled, initial)
	if initial != unchanged && initial < c.initial {
		c.setWindows(initial)
	}
	return true
}

// settle sends gRPC's server's acknowledgement of settings. Only behind it wider windows count: the client of gRPC's C++ library
// holds what comes before it against the old ones, and ends a connection that sends too much. c.mu is held.
func (c *Conn) settle(ack frame) {
	c.out = append(c.out, ack...)
	if len(c.unsettled) == 0 {
		return // the client broke the protocol, and gRPC's server reads it without the road
	}
	if to := c.unsettled[0]; to != unchanged {
		c.setWindows(to)
	}
	c.unsettled = c.unsettled[1:]
}

// setWindows sets how much of each call's answer the client takes at first. c.mu is held.
func (c *Conn) setWindows(to int64) {
	for _, k := range c.mine {
		k.window += to - c.initial
		c.queue(k)
	}
	c.initial = to
}

func (c *Conn) setMostHeaders(to int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mostHeaders = to
}

// widen lets more of the answers go.
func (c *Conn) widen(f frame) {
	id := f.id()
	b := f.payload()
	if len(b) != 4 {
		c.pipe.put(f)
		return
	}
	n := int64(binary.BigEndian.Uint32(b) &^ (1 << 31))
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.mine[id]
	switch {
	case id != 0 && k == nil || n == 0 && id == 0:
		if id == 0 || !c.past(id) {
			c.pipe.put(f)
		}
		return
	case n == 0:
		c.out = appendReset(c.out, id, codeProtocol)
		c.drop(k)
	case id == 0:
		c.window = min(c.window+n, largestID)
	default:
		k.window = min(k.window+n, largestID)
		k.more = min(k.more+n, largestID)
		c.queue(k)
	}
	c.pump()
}

const (
	mostStrikes = 2
	// calmPing is how often a client may ping without a call.
	calmPing = 2 * time.Hour
)

// pings counts the pings that a client may not send. The writer's lock guards it.
type pings struct {
	strikes  int
	fresh    bool // out has a part of an answer
	answered bool // a part of an answer was sent since the newest ping
	pinged   time.Time
}

// ping answers a ping, as gRPC's server does, and ends a connection with too many.
func (c *Conn) ping(f frame) {
	if f.has(flagAck) || f.id() != 0 || len(f.payload()) != 8 {
		c.pipe.put(f)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(begin(c.out, 8, typePing, flagAck, 0), f.payload()...)
	now := time.Now()
	p := &c.pings
	least := c.road.MinPing
	if len(c.mine)+len(c.theirs) == 0 && !c.road.IdlePings {
		least = calmPing
	}
	switch {
	case p.answered:
		p.strikes, p.answered = 0, false
	case now.Sub(p.pinged) < least:
		p.strikes++
	}
	p.pinged = now
	if p.strikes > mostStrikes {
		c.sendAway(codeTooMuch, "too_many_pings")
	}
}

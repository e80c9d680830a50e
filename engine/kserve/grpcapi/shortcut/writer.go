package shortcut

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// outRoom is how much waits to be written before answers and gRPC's server wait.
const outRoom = 256 << 10

// writer is the half of a connection that sends.
type writer struct {
	conn *Conn

	mu      sync.Mutex // guards what follows
	out     []byte
	spare   []byte // memory for out
	writing bool
	err     error
	gone    sync.Cond // out was written, a call has ended, or err has come

	window   int64            // of the connection
	initial  int64            // of a new call
	mine     map[uint32]*call // the calls that are served here
	theirs   map[uint32]bool  // the calls that were passed on
	running  int              // calls whose handler runs
	admitted uint32           // the highest call that was admitted
	over     bool             // no further call is admitted
	rested   time.Time        // when the last of the calls ended
	moved    time.Time        // when a part of an answer was moved to out
	sweeper  *time.Timer
	waits    []*call // answers that the client does not take yet

	outgoing
	pings
}

func (w *writer) init(c *Conn) {
	w.conn = c
	w.gone.L = &w.mu
	w.window, w.initial = usualWindow, usualWindow
	w.mine, w.theirs = map[uint32]*call{}, map[uint32]bool{}
}

// admit decides about a new call. It returns the call when it may be served here; passed reports whether it is passed on.
func (c *Conn) admit(id uint32, h *head, plain bool) (k *call, passed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.admitted = id
	switch {
	case c.over:
		return nil, false
	case len(c.mine)+len(c.theirs) >= c.road.MaxStreams:
		c.out = reset(c.out, id, codeRefused)
		return nil, false
	case plain && !c.leaving:
		k = &call{conn: c, id: id, head: h, window: c.initial}
		c.mine[id] = k
		return k, false
	}
	c.theirs[id] = true
	return nil, true
}

// adopt records that a call is passed on after all. It returns what the client has added to its window.
func (c *Conn) adopt(k *call) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.mine, k.id)
	c.theirs[k.id] = true
	return k.more
}

func (c *Conn) served(id uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mine[id] != nil
}

// begun reports whether a call should still be served. It waits while the connection's handlers are too many: a client
// can give up its calls faster than handlers return.
func (c *Conn) begun(k *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.running >= c.road.MaxStreams && !k.over && c.err == nil {
		c.gone.Wait()
	}
	if k.over || c.err != nil {
		return false
	}
	c.running++
	return true
}

// take lets the client send more.
func (c *Conn) take(n int) {
	if c.taken += n; c.taken < windowStep {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = windowUpdate(c.out, 0, c.taken)
	c.taken = 0
}

// windowStep is how much of a connection's window is used before the client gets it back.
const windowStep = 1 << 20

// stop ends a call before its answer.
func (c *Conn) stop(id, code uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.mine[id]; k != nil {
		c.out = reset(c.out, id, code)
		c.drop(k)
	}
}

// drop forgets a call. c.mu is held.
func (c *Conn) drop(k *call) {
	k.over = true
	c.ended(k)
	if k.cancel != nil {
		k.cancel()
	}
	for i, other := range c.waits {
		if other == k {
			c.waits = append(c.waits[:i], c.waits[i+1:]...)
			break
		}
	}
	if k.ready {
		k.answer.Free()
	}
	c.gone.Broadcast()
}

// finish sends an answer, or keeps it until the client takes it.
func (c *Conn) finish(k *call, st *status.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == c.road.MaxStreams-1 {
		c.gone.Broadcast()
	}
	if k.over || c.err != nil {
		k.answer.Free()
		return
	}
	k.ready, k.status = true, st
	if st.Code() != codes.OK {
		k.answer.Free()
		k.answer = nil
	}
	first := len(c.waits) == 0
	if first {
		c.moved = time.Now()
	}
	c.waits = append(c.waits, k)
	c.pump()
	if first && len(c.waits) > 0 {
		c.sweeper.Reset(c.step())
	}
}

// ended records the end of a call. c.mu is held.
func (c *Conn) ended(k *call) {
	delete(c.mine, k.id)
	c.rested = time.Now()
}

// pump moves what the client takes to out. c.mu is held.
func (c *Conn) pump() {
	for len(c.out) < outRoom {
		moved := c.pumpHeld()
		if c.pumpAnswer() {
			moved = true
		}
		if !moved {
			return
		}
	}
}

// pumpAnswer moves a part of an answer.
func (c *Conn) pumpAnswer() bool {
	for i, k := range c.waits {
		moved, done := c.part(k)
		if done {
			c.waits = append(c.waits[:i], c.waits[i+1:]...)
			c.ended(k)
			k.answer.Free()
		}
		if moved {
			c.moved = time.Now()
			return true
		}
	}
	return false
}

// part moves the next part of an answer.
func (c *Conn) part(k *call) (moved, done bool) {
	if k.answer == nil {
		c.trailers(k, false)
		return true, true
	}
	size := k.answer.Len()
	if k.sent == 0 {
		if min(c.window, k.window) <= 0 {
			return false, false
		}
		c.headersOut(k.id, headerBlocks[k.head.typed], flagEndHeaders)
	}
	whole := prefix + size
	n := int(min(c.window, k.window, int64(whole-k.sent), largestFrame))
	if n <= 0 {
		return false, false
	}
	c.out = begin(c.out, n, typeData, 0, k.id)
	c.fresh = true
	c.window -= int64(n)
	k.window -= int64(n)
	rest := n
	if k.sent < prefix {
		head := [prefix]byte{0, byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}
		m := min(rest, prefix-k.sent)
		c.out = append(c.out, head[k.sent:k.sent+m]...)
		k.sent += m
		rest -= m
	}
	if rest > 0 {
		c.out = appendPart(c.out, k, rest)
		k.sent += rest
	}
	if k.sent < whole {
		return true, false
	}
	c.trailers(k, true)
	return true, true
}

func appendPart(to []byte, k *call, n int) []byte {
	at := k.sent - prefix
	for _, b := range k.answer {
		text := b.ReadOnlyData()
		if at >= len(text) {
			at -= len(text)
			continue
		}
		m := min(n, len(text)-at)
		to = append(to, text[at:at+m]...)
		if n -= m; n == 0 {
			break
		}
		at = 0
	}
	return to
}

// headersOut appends a block of headers. The first one of a connection says that HPACK's table is not used.
func (c *Conn) headersOut(id uint32, block []byte, flags byte) {
	n := len(block)
	if !c.told {
		n++
	}
	c.out = begin(c.out, n, typeHeaders, flags, id)
	if !c.told {
		c.out, c.told = append(c.out, noTable), true
	}
	c.out = append(c.out, block...)
	c.fresh = true
}

func (c *Conn) trailers(k *call, behind bool) {
	if behind && len(k.trailer) == 0 && k.status.Message() == "" {
		c.headersOut(k.id, okTrailers, flagEndHeaders|flagEndStream)
		return
	}
	fields := []hpack.HeaderField{field("grpc-status", strconv.Itoa(int(k.status.Code()))), field("grpc-message", percentEncoded(k.status.Message()))}
	block := blockOf(append(fields, metadataFields(k.trailer)...)...)
	if !behind {
		block = append(slices.Clone(headerBlocks[k.head.typed]), block...)
	}
	c.headersOut(k.id, block, flagEndHeaders|flagEndStream)
}

// waiting reports whether something waits to be written.
func (c *Conn) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.out) > 0
}

// throttle waits until much more can be written.
func (c *Conn) throttle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out) > 2*outRoom && c.err == nil {
		c.gone.Wait()
	}
}

// flush writes what waits, unless another goroutine does.
func (c *Conn) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.writing && len(c.out) > 0 && c.err == nil {
		c.writing = true
		b, fresh := c.out, c.fresh
		c.out, c.fresh = c.spare[:0], false
		c.mu.Unlock()
		_, err := c.Conn.Write(b)
		c.mu.Lock()
		c.writing = false
		c.pings.answered = c.pings.answered || fresh
		c.spare = nil
		if cap(b) <= largestFrame {
			c.spare = b
		}
		if err != nil {
			c.failed(err)
			_ = c.Conn.Close()
			return
		}
		c.pump()
		c.gone.Broadcast()
	}
	c.endIfOver()
}

// fail ends all calls.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed(err)
}

func (c *Conn) failed(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	for _, k := range c.mine {
		c.drop(k)
	}
	c.gone.Broadcast()
}

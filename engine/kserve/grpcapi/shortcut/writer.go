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
	gone    sync.Cond // out was written, or err has come

	window      int64            // of the connection
	initial     int64            // of a new call
	unsettled   []int64          // windows of new calls in settings that were not acknowledged, or unchanged
	mostHeaders int64            // the largest headers that the client takes; 0 for any
	mine        map[uint32]*call // the calls that are served here
	theirs      map[uint32]bool  // the calls that were passed on; whether the client may send more
	running     int              // calls whose handler runs
	line        []*call          // calls that wait for a handler to return
	admitted    uint32           // the highest call that was admitted
	over        bool             // no further call is admitted
	rested      time.Time        // when the last of the calls ended
	unsent      int              // answers that are there and not moved to out as a whole
	waits       []*call          // those of them that their own window lets go
	moved       time.Time        // when a part of an answer was moved to out
	sweeper     *time.Timer

	lending
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
func (c *Conn) admit(id uint32, h *head) (k *call, passed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.final {
		return nil, false // the client knows it
	}
	c.admitted = id
	switch {
	case len(c.mine)+len(c.theirs) >= c.road.MaxStreams:
		c.out = appendReset(c.out, id, codeRefused)
		return nil, false
	case h.plain && !c.lone && !c.leaving:
		k = &call{conn: c, id: id, head: h, window: c.initial}
		c.mine[id] = k
		return k, false
	}
	c.theirs[id] = !c.lone
	return nil, true
}

// refuse ends a call that nobody serves.
func (c *Conn) refuse(id, code uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = appendReset(c.out, id, code)
}

// adopt records that a call is passed on after all. It returns what the client has added to its window. ok is false when gRPC's
// server takes no more calls; then the client may try another connection.
func (c *Conn) adopt(k *call) (more int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.over {
		return 0, false
	}
	if c.final {
		c.out = appendReset(c.out, k.id, codeRefused)
		c.drop(k)
		return 0, false
	}
	delete(c.mine, k.id)
	c.theirs[k.id] = true
	return k.more, true
}

// served reports whether a call is served here. end tells that the message of one that was passed on has ended.
func (c *Conn) served(id uint32, end bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end && c.theirs[id] {
		c.theirs[id] = false
	}
	return c.mine[id] != nil
}

// take lets the client send more.
func (c *Conn) take(n int) {
	if c.taken += n; c.taken < windowStep {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = appendWindowUpdate(c.out, 0, c.taken)
	c.taken = 0
}

// windowStep is how much of a connection's window is used before the client gets it back.
const windowStep = 1 << 20

// stop ends a call before its answer.
func (c *Conn) stop(id, code uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.mine[id]; k != nil {
		c.out = appendReset(c.out, id, code)
		c.drop(k)
	}
}

// tooLate is how a call ends whose deadline is over, in Triton's words.
var tooLate = status.New(codes.DeadlineExceeded, "Deadline Exceeded")

// late ends a call whose deadline is over. Its handler may still run. A client that does not take its answer gets no words.
func (c *Conn) late(k *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.mine[k.id] != k:
		return
	case k.ready:
		c.out = appendReset(c.out, k.id, codeCancel)
	default:
		c.statusOut(k.id, headerFields(k.head.typed), tooLate, nil)
	}
	c.drop(k)
}

// drop forgets a call. c.mu is held.
func (c *Conn) drop(k *call) {
	k.over = true
	c.ended(k)
	if k.cancel != nil {
		k.cancel()
	}
	c.leaveLine(k)
	if k.ready {
		c.sent(k)
	}
}

// finish sends an answer, or keeps it until the client takes it.
func (c *Conn) finish(k *call, st *status.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned()
	if k.over || c.err != nil {
		k.answer.Free()
		return
	}
	k.status = st
	if st.Code() != codes.OK || k.answer == nil {
		k.answer.Free()
		k.answer = nil
		c.trailers(k)
		c.ended(k)
		return
	}
	first := !c.holdsAnswers()
	if first {
		c.moved = time.Now()
	}
	k.ready = true
	c.unsent++
	c.queue(k)
	c.pump()
	if first && c.holdsAnswers() {
		c.sweeper.Reset(c.step())
	}
}

// queue lets an answer go when its own window has room.
func (c *Conn) queue(k *call) {
	if k.ready && !k.queued && k.window > 0 {
		k.queued = true
		c.waits = append(c.waits, k)
	}
}

// unqueue takes an answer out of those that may go.
func (c *Conn) unqueue(k *call) {
	if k.queued {
		k.queued = false
		at := slices.Index(c.waits, k)
		c.waits = slices.Delete(c.waits, at, at+1)
	}
}

// sent ends an answer.
func (c *Conn) sent(k *call) {
	k.ready = false
	c.unsent--
	c.unqueue(k)
	k.answer.Free()
}

// ended records the end of a call. c.mu is held.
func (c *Conn) ended(k *call) {
	delete(c.mine, k.id)
	c.rested = time.Now()
}

// pump moves what the client takes to out. c.mu is held.
func (c *Conn) pump() {
	for c.due() < outRoom {
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
	for len(c.waits) > 0 && c.window > 0 {
		k := c.waits[0]
		if k.window <= 0 {
			c.unqueue(k)
			continue
		}
		if c.part(k) {
			c.sent(k)
			c.ended(k)
		}
		c.moved = time.Now()
		return true
	}
	return false
}

// part moves the next part of an answer, for which there is room. done reports whether it is the last.
func (c *Conn) part(k *call) (done bool) {
	size := k.answer.Len()
	if k.sent == 0 {
		c.headersOut(k.id, headerBlocks[k.head.typed], 0)
	}
	whole := prefix + size
	if !c.lends() {
		c.reserve(whole - k.sent)
	}
	n := int(min(c.window, k.window, int64(whole-k.sent), largestFrame))
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
		c.body(k, rest)
	}
	if k.sent < whole {
		return false
	}
	c.trailers(k)
	return true
}

// headersOut appends a block of headers. The first one of a connection says that HPACK's table is not used.
func (c *Conn) headersOut(id uint32, block []byte, flags byte) {
	if !c.told {
		block = append([]byte{noTable}, block...)
		c.told = true
	}
	c.out = appendBlock(c.out, id, block, flags)
	c.fresh = true
}

// trailers ends an answer. Without a message before them, they have its headers too.
func (c *Conn) trailers(k *call) {
	alone := k.answer == nil
	if !alone && len(k.trailer) == 0 && k.status.Message() == "" {
		c.headersOut(k.id, okTrailers, flagEndStream)
		return
	}
	var fields []hpack.HeaderField
	if alone {
		fields = headerFields(k.head.typed)
	}
	c.statusOut(k.id, fields, k.status, metadataFields(k.trailer))
}

// statusOut sends the end of an answer, with what comes before and behind the status.
func (c *Conn) statusOut(id uint32, before []hpack.HeaderField, st *status.Status, behind []hpack.HeaderField) {
	fields := append(before, field("grpc-status", strconv.Itoa(int(st.Code()))), field("grpc-message", percentEncoded(st.Message())))
	fields = append(fields, behind...)
	if size := sizeOf(fields); c.mostHeaders > 0 && size > c.mostHeaders {
		c.out = appendReset(c.out, id, codeInternal)
		return
	}
	c.headersOut(id, blockOf(fields...), flagEndStream)
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
	for c.due() > 2*outRoom && c.err == nil {
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
		parts := c.hand()
		c.mu.Unlock()
		err := c.conn.socket.send(b, parts)
		c.mu.Lock()
		c.writing = false
		c.takeBack(parts)
		c.pings.answered = c.pings.answered || fresh
		c.keep(b)
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

// reserve takes memory for a large answer, of which n bytes are left: out would grow by steps, and leave them to the garbage
// collector.
func (c *Conn) reserve(n int) {
	if n <= largestFrame || cap(c.out) >= outRoom {
		return
	}
	b := c.road.Pool.Get(outRoom + 2*largestFrame)
	c.out = append((*b)[:0], c.out...)
}

// keep keeps memory that was written for the next answers. A connection that rests holds no large one.
func (c *Conn) keep(b []byte) {
	c.spare = nil
	if cap(b) <= largestFrame {
		c.spare = b
		return
	}
	c.road.Pool.Put(&b)
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
	c.takeBack(c.hand())
	c.gone.Broadcast()
}

package arrival

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

const (
	preface     = len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	frameHeader = 9
)

// The parts of a frame's header that are read (RFC 9113, 4.1 and 6).
const (
	typeData         = 0
	typeHeaders      = 1
	typeContinuation = 9
	flagPadded       = 8
	flagEndHeaders   = 4
)

// conn is a watched connection.
type conn struct {
	net.Conn
	gate *Gate

	// Only the reader uses the fields below.
	held    []byte  // read, but not passed on yet
	store   *[]byte // the memory of held; nil while nothing is held
	fault   error   // the error after held
	opening int     // bytes of the preface still missing
	head    [frameHeader]byte
	have    int // bytes of the header that have arrived
	left    int // bytes of the frame's payload still missing
	padding int // at the payload's end; -1 while its length is unknown
	data    *Call
	current uint32 // the call whose header was passed on last

	mu    sync.Mutex // guards what follows
	calls map[uint32]*Call
	timer *time.Timer // nil while there are no calls
	// answers are the answers that have not been sent. wrote is when a part of one was sent, or when the first of
	// them came.
	answers map[*Answer]struct{}
	wrote   time.Time
}

func newConn(g *Gate, raw net.Conn) *conn {
	return &conn{Conn: raw, gate: g, opening: preface, calls: map[uint32]*Call{}, answers: map[*Answer]struct{}{}}
}

// Read passes on the bytes that have arrived, up to the end of the next header of a call.
func (c *conn) Read(b []byte) (int, error) {
	if len(c.held) > 0 {
		n := c.scan(c.held[:min(len(b), len(c.held))])
		copy(b, c.held[:n])
		c.held = c.held[n:]
		return n, c.after()
	}
	n, err := c.Conn.Read(b)
	handed := c.scan(b[:n])
	if handed == n {
		return n, err
	}
	c.store = stores.Get().(*[]byte)
	*c.store = append((*c.store)[:0], b[handed:n]...)
	c.held, c.fault = *c.store, err
	return handed, nil
}

// stores are memory for what connections hold for a moment: a connection that waits for its client holds none.
var stores = sync.Pool{New: func() any { return new([]byte) }}

// after returns the error that follows the held bytes.
func (c *conn) after() error {
	if len(c.held) > 0 {
		return nil
	}
	stores.Put(c.store)
	c.held, c.store = nil, nil
	err := c.fault
	c.fault = nil
	return err
}

// scan reads frames and returns how much of b may be passed on.
func (c *conn) scan(b []byte) int {
	for i := 0; i < len(b); {
		switch {
		case c.opening > 0:
			n := min(c.opening, len(b)-i)
			c.opening -= n
			i += n
			continue
		case c.have < frameHeader:
			n := copy(c.head[c.have:], b[i:])
			c.have += n
			i += n
			if c.have < frameHeader {
				continue
			}
			c.begin()
		default:
			n := min(c.left, len(b)-i)
			c.payload(b[i : i+n])
			c.left -= n
			i += n
		}
		if c.left == 0 {
			c.have = 0
			if c.endsHeader() {
				return i
			}
		}
	}
	return len(b)
}

// begin reads the header of a frame.
func (c *conn) begin() {
	c.left = int(c.head[0])<<16 | int(c.head[1])<<8 | int(c.head[2])
	c.data, c.padding = nil, 0
	if c.head[3] != typeData {
		return
	}
	c.mu.Lock()
	c.data = c.calls[c.stream()]
	c.mu.Unlock()
	if c.head[4]&flagPadded != 0 {
		c.padding = -1
	}
}

func (c *conn) stream() uint32 { return binary.BigEndian.Uint32(c.head[5:]) &^ (1 << 31) }

// endsHeader reports whether the frame that has ended is the last of a call's header, and records
// which call's.
func (c *conn) endsHeader() bool {
	kind := c.head[3]
	if (kind != typeHeaders && kind != typeContinuation) || c.head[4]&flagEndHeaders == 0 {
		return false
	}
	c.current = c.stream()
	return true
}

// payload reads a part of a frame's payload. c.left bytes of the payload are still missing, including
// this part.
func (c *conn) payload(b []byte) {
	if c.data == nil {
		return
	}
	left := c.left
	if c.padding < 0 {
		c.padding = int(b[0])
		b, left = b[1:], left-1
	}
	if real := left - c.padding; real > 0 {
		c.data.arrive(b[:min(real, len(b))])
	}
}

func (c *conn) add(call *Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[call.id] = call
	if c.timer == nil {
		c.timer = time.AfterFunc(c.gate.Patience/2, c.sweep)
	}
}

func (c *conn) remove(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// sweep ends calls that wait for a client too long. It runs again while there are calls.
func (c *conn) sweep() {
	calls := c.all()
	if c.stalled() {
		_ = c.Conn.Close() // gRPC ends the calls
		return
	}
	for _, call := range calls {
		call.look(time.Now())
	}
}

// answerPart is the smallest write that counts as a part of an answer.
const answerPart = 1 << 10

// Write sends, and records when a part of an answer was sent.
func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if n >= answerPart {
		c.mu.Lock()
		c.wrote = time.Now()
		c.mu.Unlock()
	}
	return n, err
}

// stalled reports whether the client reads none of its waiting answers while more than half of the memory is in use.
func (c *conn) stalled() bool {
	memory := c.gate.Memory
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.answers) > 0 && time.Since(c.wrote) > 2*c.gate.Patience && memory.Limit() > 0 && memory.Used() > memory.Limit()/2
}

// all returns all calls. When there are no calls and no answers, it stops the timer.
func (c *conn) all() []*Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls)+len(c.answers) == 0 {
		c.timer = nil
		return nil
	}
	c.timer.Reset(c.gate.Patience / 2)
	calls := make([]*Call, 0, len(c.calls))
	for _, call := range c.calls {
		calls = append(calls, call)
	}
	return calls
}

// Close closes the connection and stops watching it.
func (c *conn) Close() error {
	err := c.Conn.Close()
	for _, call := range c.all() {
		call.End()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.answers {
		a.close()
	}
	clear(c.answers)
	return err
}

package arrival

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"conch/engine/budget"
	"conch/engine/infer"
)

// messagePrefix is the length bytes of the prefix that have arrived of each message: whether it is
// compressed, and its size.
const messagePrefix = 5

// Call counts the incoming messages of one call. A nil Call counts nothing.
type Call struct {
	conn *conn
	id   uint32
	most int64 // the largest message; 0 for any

	// foreign is done when a call of another service ends; cancel ends that call.
	foreign <-chan struct{}
	cancel  func()

	mu      sync.Mutex     // guards what follows
	account budget.Account // of the bytes that have arrived and were not taken
	prefix  [messagePrefix]byte
	have    int   // of the prefix
	left    int64 // bytes of the message still missing
	sizes   []int64
	last    time.Time // when bytes came, or the handler began to wait
	waited  bool      // the handler waits for a message
	unary   bool      // its first message must come
	ending  ender
	over    bool
	err     error
	// deadline ends a unary call whose answer does not begin in its time; nil for a call without a deadline.
	deadline *time.Timer
	begun    bool // the answer
}

// ender is the method of gRPC's stream that ends a call while its handler waits.
type ender interface{ WriteStatus(*status.Status) error }

// Begin must be the first call of a handler. It returns the reason if the call has already been ended.
func (c *Call) Begin(ctx context.Context, unary bool) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending, _ = grpc.ServerTransportStreamFromContext(ctx).(ender)
	c.unary = unary
	if unary && c.conn != nil {
		c.watch(ctx)
	}
	return c.err
}

// ahead is how long before its deadline a call ends in words: at the deadline gRPC ends it without any. On a busy machine gRPC may still
// be first.
const ahead = 5 * time.Millisecond

// watch sets when the call ends if its answer has not begun. c.mu is held.
func (c *Call) watch(ctx context.Context) {
	if at, ok := ctx.Deadline(); ok {
		left := time.Until(at)
		c.deadline = time.AfterFunc(left-min(left/8, ahead), c.late)
	}
}

// late ends a call whose time is over. Its handler may still run. A client that does not take its answer gets no words.
func (c *Call) late() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over && !c.begun {
		c.end(context.DeadlineExceeded)
	}
}

// Answers records that the handler sends its answer.
func (c *Call) Answers() {
	if c == nil || c.deadline == nil { // which Begin has set
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
	c.deadline.Stop()
}

// Await records that the handler waits for a message.
func (c *Call) Await() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waited = true; !c.unary { // a unary call waits for its message from its beginning
		c.last = time.Now()
	}
}

// Got records that the handler no longer waits. It returns the reason if the call has been ended
// meanwhile.
func (c *Call) Got() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited = false
	return c.err
}

// Take passes the count of the next whole message to its reader.
func (c *Call) Take() budget.Account {
	if c == nil {
		return budget.Account{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sizes) == 0 {
		return c.account.Split(0)
	}
	size := c.sizes[0]
	c.sizes = c.sizes[1:]
	return c.account.Split(size)
}

// End must be the last call of a handler.
func (c *Call) End() {
	if c == nil {
		return
	}
	if c.conn != nil {
		c.conn.remove(c.id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.deadline != nil {
		c.deadline.Stop()
	}
	c.account.Close()
}

// arrive counts bytes of the call's messages.
func (c *Call) arrive(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	if err := c.account.Grow(int64(len(b))); err != nil {
		c.end(err)
		return
	}
	for len(b) > 0 && !c.over {
		if c.have < messagePrefix {
			n := copy(c.prefix[c.have:], b)
			c.have += n
			b = b[n:]
			if c.have == messagePrefix {
				c.announced(int64(binary.BigEndian.Uint32(c.prefix[1:])))
			}
		} else {
			n := min(c.left, int64(len(b)))
			c.left -= n
			b = b[n:]
		}
		if c.have == messagePrefix && c.left == 0 {
			c.sizes = append(c.sizes, messagePrefix+int64(binary.BigEndian.Uint32(c.prefix[1:])))
			c.have = 0
		}
	}
	if c.have > 0 { // the rest is still to come
		c.last = time.Now()
	}
}

// announced checks the size in a message's prefix.
func (c *Call) announced(size int64) {
	c.left = size
	if c.most == 0 || size <= c.most {
		return
	}
	err := c.account.Fits(size)
	if err == nil {
		err = infer.Errorf(infer.InvalidArg, "message of %d bytes exceeds the maximum of %d bytes for this method", size, c.most)
	}
	c.end(err)
}

// end ends the call with an error. c.mu is held.
func (c *Call) end(err error) {
	c.err, c.over = err, true
	c.account.Close()
	switch {
	case c.ending != nil:
		_ = c.ending.WriteStatus(c.conn.gate.Status(err)) // a closed connection needs none
	case c.cancel != nil:
		c.cancel()
	}
}

// look ends a call whose client should send and does not.
func (c *Call) look(now time.Time) {
	if c.foreign != nil {
		select {
		case <-c.foreign:
			c.End()
			return
		default:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	patience := c.conn.gate.Patience
	begun := c.unary || c.have > 0
	if c.over || !c.waited || !begun || now.Sub(c.last) < patience {
		return
	}
	c.end(infer.Errorf(infer.InvalidArg, "the rest of the request did not come within %s", patience))
}

// Whole returns the call of one message that has arrived as a whole. account counts it.
func Whole(account budget.Account, size int64) *Call {
	return &Call{account: account, sizes: []int64{size}}
}

// With returns a context that has a call.
func With(ctx context.Context, c *Call) context.Context { return context.WithValue(ctx, key{}, c) }

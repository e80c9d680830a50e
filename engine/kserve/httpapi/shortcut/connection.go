package shortcut

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/budget"
)

const (
	// ownBuffer is the buffer that a connection keeps. A request that fits in is not counted, as in net/http.
	ownBuffer   = 4 << 10
	largeBuffer = longestHead + longestBody
	// hesitation is how long the rest of a request is waited for here. The connection of a slower client goes to net/http.
	hesitation = time.Second
	// idleStep is how exact the end of an idle connection is. To set a deadline for each request would cost more.
	idleStep = time.Second
)

// The states of a connection.
const (
	idle int32 = iota // nothing of a request has been read
	busy
	ended
)

// connection is a client that net/http does not have.
type connection struct {
	net.Conn          // for its end, which may mean more than that of wire
	wire     net.Conn // for reading and writing; Conn, or what is below it
	server   *Server
	handover *handover
	ctx      context.Context
	cancel   context.CancelFunc
	remote   string
	state    atomic.Int32
	own      []byte             // the buffer that it keeps
	large    *[largeBuffer]byte // the buffer of a larger request; otherwise nil
	account  budget.Account     // of large
	buffer   []byte             // what was read of a request, in one of both
	head     []byte             // the newest head, with its empty line
	request  *http.Request      // what it says
	deadline time.Time          // for reading; zero for none
}

func newConnection(ctx context.Context, s *Server, h *handover, c net.Conn) *connection {
	wire := c
	if around, ok := c.(interface{ NetConn() net.Conn }); ok {
		wire = around.NetConn()
	}
	k := &connection{Conn: c, wire: wire, server: s, handover: h, remote: c.RemoteAddr().String(), account: s.memory.Open()}
	k.ctx, k.cancel = context.WithCancel(context.WithValue(ctx, http.LocalAddrContextKey, c.LocalAddr()))
	return k
}

// endIfIdle closes the connection unless it has a request.
func (k *connection) endIfIdle() {
	if k.state.CompareAndSwap(idle, ended) {
		_ = k.Close()
	}
}

// serve answers one request after the other.
func (k *connection) serve() {
	defer k.server.forget(k)
	defer k.cancel()
	k.own = make([]byte, ownBuffer)
	k.buffer = k.own[:0]
	s := k.server
	for patience := cmp.Or(s.ReadHeaderTimeout, s.ReadTimeout); ; patience = cmp.Or(s.IdleTimeout, s.ReadTimeout) {
		if !k.rest(patience) {
			_ = k.Close()
			return
		}
		if !k.readRequest() {
			k.handOver()
			return
		}
		if !k.answer() {
			_ = k.Close()
			return
		}
	}
}

// usualLeast is how many bytes of a further request net/http waits for before it looks at them.
const usualLeast = 4

// rest waits for the first bytes of a request.
func (k *connection) rest(patience time.Duration) bool {
	if at := time.Now().Add(patience); patience > 0 && at.Sub(k.deadline).Abs() > min(idleStep, patience/8) {
		k.until(at)
	}
	least := 1
	if k.request != nil {
		least = usualLeast
	}
	n, err := io.ReadAtLeast(k.wire, k.buffer[:ownBuffer], least)
	k.buffer = k.buffer[:n]
	return err == nil && k.state.CompareAndSwap(idle, busy)
}

func (k *connection) until(at time.Time) {
	k.deadline = at
	_ = k.wire.SetReadDeadline(at) // a closed connection needs none
}

// readRequest reads a whole request. It returns false when the request is not for this way.
func (k *connection) readRequest() bool {
	if !k.readHead() {
		return false
	}
	size := len(k.head) + int(k.request.ContentLength)
	if size > cap(k.buffer) {
		if k.account.Grow(largeBuffer) != nil {
			return false // net/http calls the handler, which refuses the request
		}
		k.large = larges.Get().(*[largeBuffer]byte)
		k.buffer = append(k.large[:0], k.buffer...)
	}
	if len(k.buffer) < size {
		k.until(time.Now().Add(hesitation))
	}
	for len(k.buffer) < size {
		n, err := k.wire.Read(k.buffer[len(k.buffer):size])
		k.buffer = k.buffer[:len(k.buffer)+n]
		if err != nil && len(k.buffer) < size {
			return false
		}
	}
	return len(k.buffer) == size // more is a request that did not wait for the answer
}

// readHead finds what the head says. The requests of a client mostly have the same head.
func (k *connection) readHead() bool {
	if len(k.head) > 0 && bytes.HasPrefix(k.buffer, k.head) {
		return true
	}
	end := bytes.Index(k.buffer, []byte("\r\n\r\n"))
	if end < 0 || end > longestHead {
		return false
	}
	text := string(k.buffer[:end+4])
	r := parse(text)
	if r == nil {
		return false
	}
	r.RemoteAddr = k.remote
	k.head, k.request = []byte(text), r.WithContext(k.ctx)
	return true
}

// handOver gives the connection to net/http, with what was read of it.
func (k *connection) handOver() {
	if !k.deadline.IsZero() {
		_ = k.wire.SetReadDeadline(time.Time{})
	}
	k.account.Close() // the handler counts the request
	read := k.buffer
	if k.request != nil && k.request.Method == http.MethodPost {
		read = withoutEmptyLines(read)
	}
	k.handover.hand(&begun{Conn: k.Conn, read: read})
}

// withoutEmptyLines drops the line ends that some clients send behind the body of a POST request. net/http does so as well,
// when it has served the request itself.
func withoutEmptyLines(read []byte) []byte {
	n := 0
	for n < min(usualLeast, len(read)) && (read[n] == '\r' || read[n] == '\n') {
		n++
	}
	return read[n:]
}

// exchange is the memory of one request, which later requests use again.
type exchange struct {
	writer writer
	body   body
}

// larges are buffers for requests that do not fit into a connection's own one.
var larges = sync.Pool{New: func() any { return new([largeBuffer]byte) }}

var exchanges = sync.Pool{New: func() any { return &exchange{writer: writer{header: http.Header{}}} }}

// answer calls the handler and sends its answer. It reports whether the connection can be used for another request.
func (k *connection) answer() (goesOn bool) {
	defer k.recovered(&goesOn)
	e := exchanges.Get().(*exchange)
	defer exchanges.Put(e)
	e.writer.begin(k, time.Now())
	r := again(k.request)
	if r.ContentLength > 0 {
		e.body.Reset(k.buffer[len(k.head):])
		r.Body = &e.body
	}
	k.server.Handler.ServeHTTP(&e.writer, r)
	goesOn = e.writer.end()
	k.release()
	k.state.Store(idle)
	return goesOn && !k.server.ending.Load()
}

// again returns a request of its own with the head of another, which later requests of the connection have too. A handler may
// change all that it can reach.
func again(head *http.Request) *http.Request {
	own := &struct {
		http.Request
		at url.URL
	}{Request: *head, at: *head.URL}
	own.URL = &own.at
	own.Header = head.Header.Clone()
	return &own.Request
}

// release gives back what only the request needed.
func (k *connection) release() {
	k.buffer = k.own[:0]
	if k.large != nil {
		larges.Put(k.large)
		k.large = nil
		k.account.Close()
	}
}

// recovered ends the connection of a handler that panicked, as net/http does.
func (k *connection) recovered(goesOn *bool) {
	cause := recover()
	if cause == nil {
		return
	}
	*goesOn = false
	k.account.Close()
	if err, ok := cause.(error); (!ok || !errors.Is(err, http.ErrAbortHandler)) && k.server.ErrorLog != nil {
		k.server.ErrorLog.Printf("http: panic serving %v: %v\n%s", k.remote, cause, debug.Stack())
	}
}

// body is a request's body, which lies in memory.
type body struct{ bytes.Reader }

// Close implements io.Closer.
func (*body) Close() error { return nil }

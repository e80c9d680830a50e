package shortcut

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/budget"
	"conch/engine/unblocking"
)

const (
	// ownBuffer is the buffer that a connection keeps. A request that fits in is not counted, as in net/http.
	ownBuffer    = 4 << 10
	middleBuffer = 16 << 10
	largeBuffer  = longestHead + longestBody
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
	net.Conn // for its end, which may mean more than that of wire
	wire     wire
	server   *Server
	handover *handover
	ctx      context.Context
	cancel   context.CancelFunc
	remote   string
	state    atomic.Int32
	own      []byte         // the buffer that it keeps
	large    *[]byte        // the buffer of a larger request; otherwise nil
	account  budget.Account // of large
	turn     unblocking.Turn
	buffer   []byte        // what was read of a request, in one of both
	head     []byte        // the newest head, with its empty line
	request  *http.Request // what it says
	size     int           // of the request whose head was read; 0 before
	leaves   bool          // net/http takes the connection
	patience time.Duration // how long the next request is waited for; 0 for ever
	since    time.Time     // when the wait for it began
	deadline time.Time     // for reading; zero for none
}

func newConnection(ctx context.Context, s *Server, h *handover, c net.Conn) *connection {
	k := &connection{Conn: c, server: s, handover: h, remote: c.RemoteAddr().String(), account: s.memory.Open()}
	k.wire.init(c, k)
	k.ctx, k.cancel = context.WithCancel(context.WithValue(ctx, http.LocalAddrContextKey, c.LocalAddr()))
	return k
}

// endIfIdle closes the connection unless it has a request.
func (k *connection) endIfIdle() {
	if k.state.CompareAndSwap(idle, ended) {
		_ = k.Close()
	}
}

// abort closes the connection, also while it has a request.
func (k *connection) abort() {
	k.wire.abort()
	go k.Close() // which waits until the handler has returned
}

// serve answers one request after the other.
func (k *connection) serve() {
	defer k.server.forget(k)
	defer k.cancel()
	k.own = make([]byte, ownBuffer)
	k.buffer = k.own[:0]
	k.patience = cmp.Or(k.server.ReadHeaderTimeout, k.server.ReadTimeout)
	k.rest()
	err := k.wire.read()
	for errors.Is(err, os.ErrDeadlineExceeded) && k.restsOn() {
		err = k.wire.read()
	}
	if k.leaves || err != nil && k.size > 0 { // the rest of a request does not come in time
		k.handOver()
		return
	}
	_ = k.Close()
}

const (
	// usualLeast is how many bytes of a further request net/http waits for before it looks at them.
	usualLeast = 4
	// firstRest is how long a connection rests at most before it is read again, also when nothing tells of more (wire.read).
	firstRest = 2 * idleStep
)

// rest begins the wait for a request.
func (k *connection) rest() {
	k.since = time.Now()
	lasts, exact := firstRest, idleStep
	if k.patience > 0 {
		lasts, exact = min(lasts, k.patience), min(exact, k.patience/8)
	}
	if at := k.since.Add(lasts); at.Sub(k.deadline).Abs() > exact {
		k.until(at)
	}
}

// restsOn goes on with the wait for a request after a deadline. It returns false when the patience has ended.
func (k *connection) restsOn() bool {
	switch end := k.since.Add(k.patience); {
	case k.size > 0:
		return false
	case k.patience <= 0:
		k.until(time.Time{})
	case time.Now().Before(end):
		k.until(end)
	default:
		return false
	}
	return true
}

func (k *connection) until(at time.Time) {
	k.deadline = at
	_ = k.wire.SetReadDeadline(at) // a closed connection needs none
}

// room implements reader.
func (k *connection) room() []byte {
	if k.size > 0 {
		return k.buffer[len(k.buffer):k.size]
	}
	return k.buffer[len(k.buffer):ownBuffer]
}

// others implements reader.
func (k *connection) others() bool { return k.server.latest.Got(k) }

// alone implements reader.
func (k *connection) alone() bool { return k.server.latest.Alone(k) }

// over implements reader.
func (k *connection) over() bool { return k.server.rounds.Over(&k.turn) }

// took implements reader. It answers a request that has come as a whole.
func (k *connection) took(n int) bool {
	k.buffer = k.buffer[:len(k.buffer)+n]
	switch {
	case k.size > 0:
	case k.request != nil && len(k.buffer) < usualLeast:
		return true
	case !k.state.CompareAndSwap(idle, busy):
		return false
	case !k.begin():
		k.leaves = true
		return false
	}
	switch {
	case len(k.buffer) < k.size:
		return true
	case len(k.buffer) > k.size: // a request that did not wait for the answer
		k.leaves = true
		return false
	}
	if !k.answer() {
		return false
	}
	k.patience = cmp.Or(k.server.IdleTimeout, k.server.ReadTimeout)
	k.rest()
	return true
}

// begin reads the head of a request. It returns false when the request is not for this way.
func (k *connection) begin() bool {
	if !k.readHead() {
		return false
	}
	k.size = len(k.head) + int(k.request.ContentLength)
	if k.size > cap(k.buffer) {
		pool, room := poolFor(k.size)
		if k.account.Grow(int64(room)) != nil {
			return false // net/http calls the handler, which refuses the request
		}
		k.large = pool.Get().(*[]byte)
		k.buffer = append((*k.large)[:0], k.buffer...)
	}
	if len(k.buffer) < k.size {
		k.until(time.Now().Add(hesitation))
	}
	return true
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

// middles and larges are buffers for requests that do not fit into a connection's own one.
var middles, larges = poolOf(middleBuffer), poolOf(largeBuffer)

func poolOf(size int) *sync.Pool {
	return &sync.Pool{New: func() any {
		b := make([]byte, size)
		return &b
	}}
}

// poolFor returns the buffers that a request of a size fits into, and how large they are: a small one must not hold much memory.
func poolFor(size int) (pool *sync.Pool, room int) {
	if size <= middleBuffer {
		return middles, middleBuffer
	}
	return larges, largeBuffer
}

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
	k.buffer, k.size = k.own[:0], 0
	if k.large != nil {
		pool, _ := poolFor(len(*k.large))
		pool.Put(k.large)
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

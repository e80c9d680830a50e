package shortcut

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/peer"

	"conch/engine/budget"
	"conch/engine/unblocking"
)

// Options are the settings of a Road.
type Options struct {
	// Path is the method that is served, and Handler answers its calls: one message in, one out.
	Path    string
	Handler func(grpc.ServerStream) error
	// Codec reads and writes the messages, in memory of Pool. Memory counts them.
	Codec  encoding.CodecV2
	Pool   mem.BufferPool
	Memory *budget.Budget
	// MaxStreams and MaxHeader are those of gRPC's server.
	MaxStreams, MaxHeader int
	// MinPing is how often a client may ping, IdlePings whether it may without a call.
	MinPing   time.Duration
	IdlePings bool
	// Idle is how long a connection may have no call.
	Idle time.Duration
	// Grace is how long calls may go on after the server has asked the client to leave; 0 for ever.
	Grace time.Duration
	// Patience is how long a client may take for the next part of a message. Twice as long it may read none of its answers
	// while memory is short.
	Patience time.Duration
}

// Road serves the plain calls of all connections of a server.
type Road struct {
	Options
	work chan *batch
	idle atomic.Int32 // goroutines that wait for work
	done chan struct{}

	latest unblocking.Latest[Conn]

	pacesMu sync.RWMutex // guards paces
	paces   map[string]*pace

	mu      sync.Mutex // guards what follows
	open    map[*Conn]struct{}
	ended   bool
	drained sync.Cond // a connection has ended
}

// New returns what serves the calls of connections; Over puts it in front of one.
func New(o Options) *Road {
	r := &Road{Options: o, work: make(chan *batch), done: make(chan struct{}), open: map[*Conn]struct{}{}, paces: map[string]*pace{}}
	r.drained.L = &r.mu
	return r
}

// Over returns the connection that gRPC's server reads and writes in place of a client's. The client is not read before gRPC's
// server has sent its settings, which must come before all else.
func (r *Road) Over(client net.Conn, info credentials.AuthInfo) net.Conn {
	c := &Conn{Conn: client, road: r}
	ctx := peer.NewContext(context.Background(), &peer.Peer{Addr: client.RemoteAddr(), LocalAddr: client.LocalAddr(), AuthInfo: info})
	_, encrypted := info.(credentials.TLSInfo)
	c.init(ctx)
	c.socket.init(client, encrypted)
	if !encrypted {
		c.alone.init(client)
	}
	c.sweeper.Reset(min(r.Idle/2, r.Patience))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		_ = client.Close()
	}
	r.open[c] = struct{}{}
	return c
}

// Await waits until all connections have ended. gRPC's server has closed them, and calls may go on.
func (r *Road) Await() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.open) > 0 {
		r.drained.Wait()
	}
}

// Close ends all connections.
func (r *Road) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		close(r.done)
	}
	for c := range r.open {
		go c.abort()
	}
}

func (r *Road) forget(c *Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
	r.latest.Left(c)
	r.drained.Broadcast()
}

// idleWorkers is how many goroutines wait for calls. Further calls get new goroutines.
const idleWorkers = 16

// start serves calls of a connection in another goroutine.
func (r *Road) start(b *batch) {
	select {
	case r.work <- b:
	default:
		go r.serve(b)
	}
}

// serve serves calls, and then others if few goroutines wait for them.
func (r *Road) serve(b *batch) {
	for {
		b.serve()
		if r.idle.Add(1) > idleWorkers {
			r.idle.Add(-1)
			return
		}
		select {
		case b = <-r.work:
			r.idle.Add(-1)
		case <-r.done:
			return
		}
	}
}

package shortcut

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"conch/engine/budget"
	"conch/engine/framing"
	"conch/engine/unblocking"
)

// Server is an http.Server whose plain requests are served here.
type Server struct {
	*http.Server
	memory  *budget.Budget // counts what is read of requests that are larger than a connection's own buffer
	ending  atomic.Bool
	latest  unblocking.Latest[connection]
	rounds  unblocking.Rounds
	mu      sync.Mutex
	open    map[*connection]struct{} // those that net/http does not have
	serving sync.WaitGroup           // the goroutines of open
}

// Over returns a server that takes the plain requests off an http.Server. Its timeouts and its handler are those of the
// http.Server.
func Over(server *http.Server, memory *budget.Budget) *Server {
	return &Server{Server: server, memory: memory, open: map[*connection]struct{}{}}
}

// Serve serves the clients of a listener until it is closed. Its errors are those of http.Server.
func (s *Server) Serve(l net.Listener) error {
	ctx := context.WithValue(context.Background(), http.ServerContextKey, s.Server)
	h := &handover{Listener: l, handed: make(chan accepted), closed: make(chan struct{})}
	go h.accept(func(c net.Conn) { s.start(ctx, h, c) })
	return s.Server.Serve(framing.Listener(h))
}

// start serves a connection in a goroutine of its own.
func (s *Server) start(ctx context.Context, h *handover, c net.Conn) {
	if !plain(c) {
		h.hand(c)
		return
	}
	k := newConnection(ctx, s, h, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending.Load() {
		_ = c.Close()
		return
	}
	s.open[k] = struct{}{}
	s.serving.Go(k.serve)
}

func (s *Server) forget(k *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, k)
	s.latest.Left(k)
}

// Shutdown ends the server as http.Server does: it closes what is idle, and waits for the running requests until ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	s.SetKeepAlivesEnabled(false) // closes the idle connections of net/http
	s.mu.Lock()
	s.ending.Store(true)
	for k := range s.open {
		k.endIfIdle()
	}
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.serving.Wait()
	}()
	select {
	case <-ended: // what was handed over meanwhile is net/http's
	case <-ctx.Done():
	}
	return s.Server.Shutdown(ctx)
}

// Close closes all connections at once.
func (s *Server) Close() error {
	s.mu.Lock()
	s.ending.Store(true)
	for k := range s.open {
		k.abort()
	}
	s.mu.Unlock()
	return s.Server.Close()
}

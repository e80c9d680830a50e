package serve

import (
	"net"
	"sync"
)

// limited accepts a connection only when fewer than a maximum are open. Further clients wait in the system's queue,
// so the program always has files for its models.
type limited struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

// limitTo bounds the connections of a listener; 0 means no bound.
func limitTo(l net.Listener, connections int) net.Listener {
	if connections <= 0 {
		return l
	}
	return &limited{Listener: l, slots: make(chan struct{}, connections), closed: make(chan struct{})}
}

// Accept waits for a place, and then for a client.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	connection, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	letGo(connection)
	return &placed{Conn: connection, leave: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close closes the listener and ends the waiting.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed is a connection that frees its place when it closes.
type placed struct {
	net.Conn
	leave func()
}

// NetConn returns the connection itself, for reading and writing. Only Close frees the place.
func (p *placed) NetConn() net.Conn { return p.Conn }

// Close closes the connection.
func (p *placed) Close() error {
	defer p.leave()
	return p.Conn.Close()
}

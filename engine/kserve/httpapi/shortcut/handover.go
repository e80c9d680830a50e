package shortcut

import (
	"crypto/tls"
	"net"
	"sync"
)

// handover is the listener of net/http: its connections are those that are handed over.
type handover struct {
	net.Listener
	handed chan accepted
	closed chan struct{}
	once   sync.Once
}

// accepted is what Accept returns.
type accepted struct {
	net.Conn
	err error
}

// accept begins to serve each client of the real listener, until that is closed. Errors go to net/http, which waits after one
// that may pass.
func (h *handover) accept(begin func(net.Conn)) {
	for {
		c, err := h.Listener.Accept()
		if err == nil {
			begin(c)
			continue
		}
		select {
		case h.handed <- accepted{err: err}:
		case <-h.closed:
			return
		}
	}
}

// hand gives a connection to net/http, or closes it when net/http takes no more.
func (h *handover) hand(c net.Conn) {
	select {
	case h.handed <- accepted{Conn: c}:
	case <-h.closed:
		_ = c.Close()
	}
}

// Accept implements net.Listener.
func (h *handover) Accept() (net.Conn, error) {
	select {
	case a := <-h.handed:
		return a.Conn, a.err
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (h *handover) Close() error {
	err := h.Listener.Close()
	h.once.Do(func() { close(h.closed) })
	return err
}

// begun is a connection of which something was read.
type begun struct {
	net.Conn
	read []byte
}

// Read returns what was read before, and then reads on.
func (b *begun) Read(p []byte) (int, error) {
	if len(b.read) == 0 {
		return b.Conn.Read(p)
	}
	n := copy(p, b.read)
	if b.read = b.read[n:]; len(b.read) == 0 {
		b.read = nil
	}
	return n, nil
}

// CloseWrite lets net/http end its half of the connection after an error.
func (b *begun) CloseWrite() error {
	if half, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// plain reports whether the bytes of a connection can be read here: they are not encrypted.
func plain(c net.Conn) bool {
	_, encrypted := c.(*tls.Conn)
	return !encrypted
}

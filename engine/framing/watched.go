package framing

import (
	"bytes"
	"crypto/tls"
	"net"
	"sync/atomic"
)

// Listener returns a listener whose connections are watched. Encrypted ones are as they were: net/http must see what they are.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if _, encrypted := c.(*tls.Conn); err != nil || encrypted {
		return c, err
	}
	return &watched{Conn: c, matched: 1}, nil
}

// watched is a connection that notes whether a line began with the name of the header.
type watched struct {
	net.Conn
	coded   atomic.Bool
	chunked atomic.Bool // a request of HTTP/1.1 had chunks
	matched int         // how much of line the newest bytes are
}

// line is what is looked for, in small letters. A connection begins as a line does.
const line = "\ntransfer-encoding:"

// largestHead is the most that net/http reads at once while it reads a head. Larger pieces are of bodies, in which nothing is
// looked for.
const largestHead = 4 << 10

// Read implements net.Conn.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if len(p) <= largestHead && !w.coded.Load() {
		w.look(p[:n])
	}
	return n, err
}

// look goes on with the search.
func (w *watched) look(p []byte) {
	for len(p) > 0 {
		if w.matched == 0 {
			at := bytes.IndexByte(p, '\n')
			if at < 0 {
				return
			}
			w.matched, p = 1, p[at+1:]
			continue
		}
		if c := p[0]; c|0x20 != line[w.matched] && c != line[w.matched] {
			w.matched = 0 // this byte may be the end of the line
			continue
		}
		p = p[1:]
		if w.matched++; w.matched == len(line) {
			w.coded.Store(true)
			return
		}
	}
}

// CloseWrite lets net/http end its half of the connection after an error.
func (w *watched) CloseWrite() error {
	if half, ok := w.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

//go:build unix

package apptest

import (
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Link is a way to a server with a delay, through which a test can also lose the server.
type Link struct {
	Address string
	to      string
	delay   time.Duration // of each direction
	again   time.Duration // how much longer a lost piece takes, as TCP sends it again
	loss    float64

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// Slow begins a link with this round trip, which loses a part of all pieces.
func Slow(t *testing.T, to string, roundTrip time.Duration, loss float64) *Link {
	return begin(t, &Link{to: to, delay: roundTrip / 2, again: 2 * roundTrip, loss: loss}, nil)
}

// Encrypted begins a link that takes TLS and passes on plain text. cfg names the protocol of what listens there.
func Encrypted(t *testing.T, to string, cfg *tls.Config) *Link {
	return begin(t, &Link{to: to}, cfg)
}

func begin(t *testing.T, l *Link, cfg *tls.Config) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Address, l.conns = listener.Addr().String(), map[net.Conn]bool{}
	if cfg != nil {
		listener = tls.NewListener(listener, cfg)
	}
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.pass(conn)
		}
	}()
	return l
}

// cut ends all connections.
func (l *Link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
}

func (l *Link) pass(client net.Conn) {
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		_ = client.Close()
		return
	}
	l.mu.Lock()
	l.conns[client], l.conns[server] = true, true
	l.mu.Unlock()
	go l.copy(server, client)
	l.copy(client, server)
}

// copy passes pieces on after the delay, in their order.
func (l *Link) copy(to, from net.Conn) {
	type piece struct {
		data []byte
		due  time.Time
	}
	pieces := make(chan piece, 1000)
	go func() {
		defer close(pieces)
		for {
			data := make([]byte, 1400)
			n, err := from.Read(data)
			if n > 0 {
				late := l.delay
				if l.loss > 0 && rand.Float64() < l.loss {
					late += l.again
				}
				pieces <- piece{data[:n], time.Now().Add(late)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due)) // the delay of the link, which is what it is for
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	_ = to.Close()
	_, _ = io.Copy(io.Discard, from)
}

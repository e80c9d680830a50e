package web

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// mostConnections is how many clients may be connected at a time. A browser opens six for all its
// tabs. Some file descriptors must be left for saves and the history.
const mostConnections = 128

// crowd limits the connections of a server. When all places are taken, a new client gets the place of
// the client that has waited longest without a running request. So silent clients keep nobody out.
type crowd struct {
	most int

	mu    sync.Mutex // guards what follows
	seats map[net.Conn]*seat
}

// seat is the place of one connection.
type seat struct {
	busy  bool      // a request is running
	since time.Time // when it connected, or its last request ended
}

func newCrowd(most int) *crowd { return &crowd{most: most, seats: map[net.Conn]*seat{}} }

// state follows the states of a connection; it is http.Server.ConnState.
func (c *crowd) state(conn net.Conn, state http.ConnState) {
	if victim := c.note(conn, state); victim != nil {
		_ = victim.Close() // ends a wait for a request
	}
}

// note returns the connection that must leave, if one must.
func (c *crowd) note(conn net.Conn, state http.ConnState) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if len(c.seats) >= c.most {
			victim = c.longestWaiting()
		}
		if victim == nil && len(c.seats) >= c.most {
			return conn // all are busy
		}
		delete(c.seats, victim)
		c.seats[conn] = &seat{since: time.Now()}
	case http.StateActive, http.StateIdle:
		if s := c.seats[conn]; s != nil {
			s.busy, s.since = state == http.StateActive, time.Now()
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.seats, conn)
	}
	return victim
}

// longestWaiting needs mu.
func (c *crowd) longestWaiting() (found net.Conn) {
	for conn, s := range c.seats {
		if !s.busy && (found == nil || s.since.Before(c.seats[found].since)) {
			found = conn
		}
	}
	return found
}

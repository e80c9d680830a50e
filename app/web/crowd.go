package web

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// mostConnections is how many clients may be connected at a time. A browser opens six for all its tabs; files for saves and
// the history have to be left.
const mostConnections = 128

// crowd bounds the connections of a server. A client that comes when all places are taken gets the place of the client that has been
// waiting for longest without a request under way: silent clients keep nobody out.
type crowd struct {
	most int

	mu    sync.Mutex // guards what follows
	seats map[net.Conn]*seat
}

// seat is one connection's.
type seat struct {
	busy  bool      // a request is under way
	since time.Time // when it came, or its last request ended
}

func newCrowd(most int) *crowd { return &crowd{most: most, seats: map[net.Conn]*seat{}} }

// state follows the life of a connection; it is http.Server.ConnState.
func (c *crowd) state(conn net.Conn, state http.ConnState) {
	if victim := c.note(conn, state); victim != nil {
		_ = victim.Close() // what was waiting for a request ends with it
	}
}

// note returns the connection that has to leave, if one does.
func (c *crowd) note(conn net.Conn, state http.ConnState) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if len(c.seats) >= c.most {
			victim = c.longestWaiting()
		}
		if victim == nil && len(c.seats) >= c.most {
			return conn // everybody is busy
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

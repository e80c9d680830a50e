package shortcut

import (
	"net"
	"sync"
	"time"
)

// alarm breaks the reading of a connection off at a time. It does so again, because gRPC's server takes deadlines back at the
// end of its handshake.
type alarm struct {
	conn net.Conn

	mu    sync.Mutex // guards what follows
	on    bool
	rings bool // the reading was broken off
	timer *time.Timer
}

func (a *alarm) init(conn net.Conn) {
	a.conn = conn
	a.timer = time.AfterFunc(time.Hour, a.ring)
	a.timer.Stop()
}

func (a *alarm) set(in time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = true
	a.timer.Reset(in)
}

func (a *alarm) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.on {
		a.rings = true
		_ = a.conn.SetReadDeadline(time.Unix(1, 0)) // a closed connection needs none
		a.timer.Reset(hesitation)
	}
}

// rang reports whether the alarm has broken the reading off, and nobody else.
func (a *alarm) rang() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rings
}

// end lets the reading go on without an end.
func (a *alarm) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.on {
		a.on, a.rings = false, false
		a.timer.Stop()
		_ = a.conn.SetReadDeadline(time.Time{})
	}
}

package shortcut

import (
	"net"
	"testing"
	"time"
)

// deadlines records the deadline for reading.
type deadlines struct {
	net.Conn
	at time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.at = at
	return nil
}

// An alarm that is ended breaks nothing off, also when its timer has just gone off.
func TestAlarmThatIsEnded(t *testing.T) {
	conn := new(deadlines)
	var a alarm
	a.init(conn)
	a.set(time.Hour)
	a.ring()
	if !a.rang() || conn.at.IsZero() {
		t.Error("it does not break the reading off")
	}
	a.end()
	a.ring()
	if a.rang() || !conn.at.IsZero() {
		t.Error("it breaks the reading off after its end")
	}
	if a.timer.Stop() {
		t.Error("its timer goes on")
	}
}

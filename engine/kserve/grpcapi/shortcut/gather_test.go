package shortcut

import (
	"encoding/binary"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
)

// The wait for the rest of a message begins again with each megabyte that comes, but not with less, and never beyond half of the
// call's time.
func TestWaitForTheRest(t *testing.T) {
	c := &Conn{road: &Road{Options: Options{Patience: time.Minute, Pool: mem.DefaultBufferPool()}}}
	long := time.Now().Add(-time.Hour)
	for _, timeout := range []time.Duration{0, time.Minute} {
		g := &gathered{call: &call{head: &head{timeout: timeout}}, began: long, since: long}
		b := make([]byte, largestFrame)
		binary.BigEndian.PutUint32(b[1:], 4<<20)
		for have := len(b); have <= 2<<20; have += len(b) {
			before := g.since
			if !c.add(g, b, false) {
				t.Fatalf("a part is not taken behind %d bytes", g.have)
			}
			if again := g.since != before; again != (have%progress == 0) {
				t.Errorf("after %d bytes the wait begins again: %t", have, again)
			}
		}
		if over := c.until(g).Before(time.Now()); over != (timeout > 0) {
			t.Errorf("with a timeout of %v the wait is over: %t", timeout, over)
		}
		g.free(c.road.Pool)
	}
}

package python

import (
	"testing"
	"time"
)

// An execution whose answer was read by somebody else before it could read does not wait for further messages: the process has nothing
// to say then.
func TestLeadAfterTheAnswer(t *testing.T) {
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	defer func() { _ = ours.Close() }()
	conn := newConnection(ours)
	p := &process{conn: conn, reading: newReading(conn)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		p.lead(&completion{}, func() bool { return true })
	}()
	select {
	case <-over:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for a message")
	}
	if !p.reading.turn.TryLock() {
		t.Error("nobody else can read")
	}
}

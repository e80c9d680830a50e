package python

import (
	"errors"
	"testing"
	"time"

	"conch/engine/backend/python/wire"
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
		p.lead(&completion{}, false, func() bool { return true })
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

// panics is a receiver of a process that makes it panic.
type panics struct{ completion }

func (panics) received(*process, wire.Header, []byte) error { panic("a fault of the engine") }

// Where an execution panics while it reads, the engine may go on. The reader hears it, and ends the process.
func TestPanicWhileItReads(t *testing.T) {
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	defer func() { _ = ours.Close() }()
	conn := newConnection(ours)
	p := &process{conn: conn, reading: newReading(conn)}
	if _, err := theirs.Write(wire.Finish(wire.Begin(nil, wire.Executed, 1))); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		p.lead(&panics{}, false, func() bool { return false })
	}()
	select {
	case <-p.reading.back:
	default:
		t.Error("the reader is not woken")
	}
	if !p.reading.turn.TryLock() {
		t.Fatal("the reader cannot read")
	}
	if err := p.receive(&panics{}, nil); !errors.Is(err, wire.ErrBroken) {
		t.Errorf("it reads on: %v", err)
	}
}

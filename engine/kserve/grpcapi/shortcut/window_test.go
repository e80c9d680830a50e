package shortcut_test

import (
	"testing"
	"time"

	"conch/engine/kserve/grpcapi/shortcut"
)

// Large messages whose parts come by turns do not use up the connection's window: otherwise none of them would end.
func TestLargeMessagesByTurns(t *testing.T) {
	s := start(t, func(o *shortcut.Options) { o.MinPing, o.IdlePings = 0, true })
	r := s.dial(t)
	whole := message("fail", "", 4<<20) // an error needs no window
	const part, count = 3 << 20, 8
	ids := make([]uint32, count)
	for i := range ids {
		ids[i] = r.headers(inferPath, false)
	}
	credit := 0
	for _, id := range ids {
		r.data(id, whole[:part], false)
		credit += r.answered(t)
	}
	if least := part*count - 2<<20; credit < least {
		t.Fatalf("of %d bytes, the client may send %d again", part*count, credit)
	}
	for _, id := range ids {
		r.data(id, whole[part:], true)
	}
	r.inBackground()
	r.all(t, ids...)
	await(t, "memory in use", func() bool { return s.memory.Used() == 0 })
}

// A message that is passed on late gives the connection's window back once, though the road and gRPC's server both count it.
func TestWindowOfLateMessages(t *testing.T) {
	s := start(t, func(o *shortcut.Options) { o.MinPing, o.IdlePings, o.Patience = 0, true, 20*time.Millisecond })
	r := s.dial(t)
	whole := message("fail", "", 4<<20) // an error needs no window
	const part, count = 3 << 20, 12
	sent, credit := 0, r.answered(t) // the connection's first window is larger than HTTP/2's
	first := credit
	for range count {
		id := r.headers(inferPath, false)
		r.data(id, whole[:part], false)
		credit += r.answered(t)
		time.Sleep(30 * time.Millisecond) // longer than the road waits for the rest
		r.data(id, whole[part:], true)
		sent += len(whole)
		credit += r.answered(t)
	}
	const slack = 8 << 20 // what one message can be ahead, and the steps in which windows are given back
	if got := credit - first; got > sent+slack || got < sent-slack {
		t.Errorf("of %d bytes, the client may send %d again", sent, got)
	}
}

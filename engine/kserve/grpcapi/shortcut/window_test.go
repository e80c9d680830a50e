package shortcut_test

import (
	"testing"
	"time"

	"golang.org/x/net/http2"

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
	s.emptied(t)
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
	const slack = shortcut.Window + 4<<20 // the step in which gRPC's server gives its window back, and what one message can be ahead
	if got := credit - first; got > sent+slack || got < sent-slack {
		t.Errorf("of %d bytes, the client may send %d again", sent, got)
	}
}

// framesUntil reads to the first frame that ends the wait, and returns the bytes of data before it.
func (r *rawClient) framesUntil(t *testing.T, ends func(http2.Frame) bool) (data int) {
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		f, err := r.framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := f.(*http2.DataFrame); ok {
			data += len(d.Data())
		}
		if ends(f) {
			return data
		}
	}
}

func isAck(f http2.Frame) bool {
	s, ok := f.(*http2.SettingsFrame)
	return ok && s.IsAck()
}

// The windows of new settings count behind their acknowledgement. Before it, the client of gRPC's C++ library ends a connection
// that sends more than the old ones let go.
func TestNewWindowsCountBehindTheAcknowledgement(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 5})
	r.inBackground()
	for range 2 {
		r.framesUntil(t, isAck)
	}
	id := r.call("m", 1000)
	r.inBackground()
	if got := r.framesUntil(t, func(f http2.Frame) bool { return f.Header().Type == http2.FrameData }); got != 5 {
		t.Fatalf("%d bytes into a window of 5", got)
	}
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	r.inBackground()
	if got := r.framesUntil(t, isAck); got > 0 {
		t.Errorf("%d bytes before the acknowledgement", got)
	}
	r.all(t, id)
}

// An acknowledgement goes behind the data that gRPC's server sent before it, though the client has to take that first.
func TestAcknowledgementsKeepTheirPlace(t *testing.T) {
	r, inner, _ := between(t, usual)
	server := http2.NewFramer(inner, inner)
	const size, frames = 16 << 10, 6
	go func() {
		_ = server.WriteSettings()
		for range frames {
			_ = server.WriteData(1, false, make([]byte, size))
		}
		_ = server.WriteSettingsAck()
		_ = server.WritePing(false, [8]byte{1})
	}()
	got := r.framesUntil(t, func(f http2.Frame) bool { return f.Header().Type == http2.FramePing })
	if want := 64<<10 - 1; got != want {
		t.Errorf("%d bytes into a window of %d", got, want)
	}
	_ = r.framer.WriteWindowUpdate(0, 1<<20)
	r.inBackground()
	if got += r.framesUntil(t, isAck); got != size*frames {
		t.Errorf("%d of %d bytes before the acknowledgement", got, size*frames)
	}
}

// A client that sends settings without waiting for their acknowledgement is sent away.
func TestManySettings(t *testing.T) {
	r, inner, _ := between(t, usual)
	go func() { _ = http2.NewFramer(inner, nil).WriteSettings() }()
	for i := range 200 {
		_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(i)})
	}
	r.inBackground()
	r.framesUntil(t, func(f http2.Frame) bool {
		away, ok := f.(*http2.GoAwayFrame)
		return ok && away.ErrCode == http2.ErrCodeEnhanceYourCalm && string(away.DebugData()) == "too_many_settings"
	})
}

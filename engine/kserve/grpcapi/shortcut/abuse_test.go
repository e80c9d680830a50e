package shortcut_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"conch/engine/kserve/grpcapi/shortcut"
)

// answered waits until the road has read all that was sent before. It returns how much more the connection may send, by what
// came meanwhile.
func (r *rawClient) answered(t *testing.T) (credit int) {
	t.Helper()
	_ = r.framer.WritePing(false, [8]byte{9})
	r.inBackground()
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		f, err := r.framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := f.(*http2.WindowUpdateFrame); ok && u.StreamID == 0 {
			credit += int(u.Increment)
		}
		if p, ok := f.(*http2.PingFrame); ok && p.IsAck() && p.Data == [8]byte{9} {
			return credit
		}
	}
}

// A client that says how large its messages will be, and sends nothing of them, holds little memory.
func TestAnnouncedMessagesHoldLittle(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	for range 50 {
		r.data(r.headers(inferPath, false), []byte{0, 0, 0x0f, 0, 0}, false)
	}
	r.answered(t)
	if used := s.memory.Used(); used > 1<<20 {
		t.Errorf("%d bytes are in use", used)
	}
}

// Headers that are short by HPACK's table are not passed on faster than gRPC's server reads them, and not at all when they are too
// long.
func TestHeadersThatGrow(t *testing.T) {
	r, inner, s := between(t, usual)
	more := []string{"x-large", strings.Repeat("X", 3000)}
	for range 14 {
		more = append(more, more[:2]...)
	}
	go func() { _ = http2.NewFramer(inner, nil).WriteSettings() }()
	for range 5 {
		r.headers(livePath, true, append(more, more...)...)
	}
	r.answered(t)
	if n := s.road.Waiting(); n > 1000 {
		t.Errorf("%d bytes wait of headers that are too long", n)
	}
	for range 90 {
		r.headers(livePath, true, more...)
	}
	if n := r.text.Len(); n > 40_000 {
		t.Fatalf("the client sends %d bytes", n)
	}
	r.inBackground()
	go func() { _, _ = io.Copy(io.Discard, r) }()
	const room = 256<<10 + 64<<10
	await(t, "headers wait", func() bool { return s.road.Waiting() > room/2 })
	total, part := 0, make([]byte, 64<<10)
	for total < 90*40_000 {
		if n := s.road.Waiting(); n > room {
			t.Fatalf("%d bytes wait", n)
		}
		n, err := inner.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
}

// The end of a connection does not wait for a client that reads nothing.
func TestGoodbyeToADeafClient(t *testing.T) {
	r, inner, _ := between(t, func(o *shortcut.Options) { o.Patience = 50 * time.Millisecond })
	go func() { _ = http2.NewFramer(inner, nil).WriteSettings() }()
	if _, err := r.framer.ReadFrame(); err != nil {
		t.Fatal(err)
	}
	r.text.Write([]byte{0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1}) // a frame that is too large
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, inner)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the connection goes on")
	}
}

// A client with too many pings is sent away once.
func TestSentAwayOnce(t *testing.T) {
	r := start(t, usual).dial(t)
	for range 50 {
		_ = r.framer.WritePing(false, [8]byte{1})
	}
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, 99); strings.Count(got, "goaway") != 1 {
		t.Error(got)
	}
}

// Answers that a client's windows hold back take no time when others go.
func TestHeldAnswersAreNotLookedAt(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	ids := make([]uint32, 50)
	for i := range ids {
		ids[i] = r.call("m", 10)
	}
	failed := r.call("fail", 10)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, failed); !strings.Contains(got, "grpc-status: 3") { // errors need no window
		t.Error(got)
	}
	await(t, "answers", func() bool {
		unsent, going := s.road.Going()
		return unsent == len(ids) && going == 0
	})
	_ = r.framer.WriteRSTStream(ids[0], http2.ErrCodeCancel)
	_ = r.framer.WriteWindowUpdate(ids[1], 10) // not the whole answer
	_ = r.framer.WriteWindowUpdate(ids[2], 1000)
	r.answered(t)
	if unsent, going := s.road.Going(); unsent != len(ids)-2 || going != 0 {
		t.Errorf("%d answers, %d of them go", unsent, going)
	}
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000})
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	r.all(t, ids[3:]...)
	s.emptied(t)
}

// Handlers that go on when their calls are given up keep the client's further calls waiting, which can be given up as well.
func TestStubbornHandlers(t *testing.T) {
	const most = 5
	s := start(t, func(o *shortcut.Options) { o.MaxStreams, o.MinPing, o.IdlePings = most, 0, true })
	r := s.dial(t)
	for i := range 2 * most {
		id := r.call("stubborn", 1)
		r.answered(t)
		if i < most {
			await(t, "a handler runs", func() bool { return s.running() == i+1 })
		}
		_ = r.framer.WriteRSTStream(id, http2.ErrCodeCancel)
	}
	ids := make([]uint32, most)
	for i := range ids {
		ids[i] = r.call("m", i)
	}
	_ = r.framer.WriteRSTStream(ids[1], http2.ErrCodeCancel)
	r.answered(t)
	if n := s.running(); n > most {
		t.Errorf("%d handlers run", n)
	}
	close(s.held)
	got := r.all(t, ids[0], ids[2], ids[3], ids[4])
	for id, text := range got {
		if !strings.Contains(text, "grpc-status: 0") {
			t.Errorf("call %d: %s", id, text)
		}
	}
	await(t, "handlers run", func() bool { return s.running() == 0 })
	for range 3 * most { // all places are free again
		id := r.call("m", 1)
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		if got := r.until(t, id); !strings.Contains(got, "grpc-status: 0") {
			t.Error(got)
		}
	}
}

// A call that hangs among others that a goroutine serves together keeps them waiting no longer than one by itself.
func TestHangingCallAmongOthers(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	for range 20 { // so the road learns how long the model takes
		id := r.call("steady", 1)
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		r.until(t, id)
	}
	var ids []uint32
	for i := range 8 {
		if i == 5 {
			r.call("wait", 1)
			continue
		}
		ids = append(ids, r.call("steady", 1))
	}
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	r.all(t, ids...)
	close(s.held)
	await(t, "handlers run", func() bool { return s.running() == 0 })
}

// What is known of models does not grow without an end.
func TestKnownModels(t *testing.T) {
	s := start(t, usual)
	client := s.client(t)
	for i := range 1500 {
		if _, err := client.ModelInfer(t.Context(), infer(fmt.Sprint(i), 1)); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.road.Known(); n == 0 || n > 1000 {
		t.Errorf("%d models are known", n)
	}
}

package shortcut_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/kserve/grpcapi/shortcut"
)

const livePath = "/inference.GRPCInferenceService/ServerLive"

// live is a message of a call of ServerLive.
var live = make([]byte, 5)

// between returns both sides of a connection of a road: the client's, and gRPC's server's, which the test plays.
func between(t *testing.T, set func(*shortcut.Options)) (*rawClient, net.Conn, *server) {
	s := start(t, set)
	client, raw := net.Pipe()
	inner := s.road.Over(raw, nil)
	t.Cleanup(func() {
		_ = client.Close()
		_ = inner.Close()
	})
	return newRaw(client), inner, s
}

// inBackground sends what the client has, without waiting for the server to read it.
func (r *rawClient) inBackground() {
	b := bytes.Clone(r.text.Bytes())
	r.text.Reset()
	go func() { _, _ = r.Write(b) }()
}

// The server's settings come before all else, however early the client sends.
func TestServerSpeaksFirst(t *testing.T) {
	r, inner, _ := between(t, usual)
	_ = r.framer.WritePing(false, [8]byte{1})
	r.inBackground()
	_ = r.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := r.framer.ReadFrame(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("before the settings: %v", err)
	}
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	go func() { _ = http2.NewFramer(inner, nil).WriteSettings() }()
	for _, want := range []http2.FrameType{http2.FrameSettings, http2.FramePing} {
		if f, err := r.framer.ReadFrame(); err != nil || f.Header().Type != want {
			t.Fatal(want, f, err)
		}
	}
}

// A connection that does not begin with settings is closed, and its calls are not served.
func TestFirstFrame(t *testing.T) {
	for _, first := range []func(*rawClient){
		func(r *rawClient) { r.call("m", 1) },
		func(r *rawClient) { _ = r.framer.WriteSettingsAck() },
		func(r *rawClient) { _ = r.framer.WriteWindowUpdate(0, 1) },
	} {
		s := start(t, usual)
		r := s.dial(t)
		r.text.Reset()
		r.text.WriteString(http2.ClientPreface)
		first(r)
		r.call("m", 1)
		_ = r.flush() // the server may be gone before
		if got := r.until(t, 99); !strings.Contains(got, "EOF") && !strings.Contains(got, "closed") {
			t.Error(got)
		}
		if s.served() > 0 {
			t.Error("a call was served")
		}
	}
}

// trailers ends the message of a call with headers.
func (r *rawClient) trailers(id uint32, end bool, name string) {
	r.block.Reset()
	_ = r.encoder.WriteField(hpack.HeaderField{Name: name, Value: "x"})
	_ = r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: r.block.Bytes(), EndHeaders: true, EndStream: end})
}

// A client may end its message with trailers. They mean nothing, and the connection goes on.
func TestTrailersOfAClient(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	var ids []uint32
	for _, size := range []int{10, 40_000, 2 << 20} { // the last one is passed on
		id := r.headers(inferPath, false)
		r.data(id, message("m", "", size), false)
		r.trailers(id, true, "x-sum")
		ids = append(ids, id)
	}
	passed := r.headers(livePath, false)
	r.data(passed, live, false)
	r.trailers(passed, true, "x-sum")
	empty := r.headers(inferPath, false)
	r.trailers(empty, true, "x-sum")
	ids = append(ids, passed)
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 26})
	_ = r.framer.WriteWindowUpdate(0, 1<<28)
	r.inBackground()
	got := r.all(t, append(ids, empty)...)
	for _, id := range ids {
		if !strings.Contains(got[id], "grpc-status: 0") {
			t.Errorf("call %d: %.300s", id, got[id])
		}
	}
	if !strings.Contains(got[empty], "grpc-status: 13") { // as without trailers
		t.Errorf("without a message: %s", got[empty])
	}
}

// all reads until some calls have ended.
func (r *rawClient) all(t *testing.T, ids ...uint32) map[uint32]string {
	t.Helper()
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	texts := map[uint32]*strings.Builder{}
	for _, id := range ids {
		texts[id] = new(strings.Builder)
	}
	ended := map[uint32]string{}
	for len(ended) < len(texts) {
		f, err := r.framer.ReadFrame()
		if err != nil {
			t.Fatalf("of %d calls, %d have ended: %v", len(texts), len(ended), err)
		}
		id := f.Header().StreamID
		if text := texts[id]; text != nil && describe(text, f) {
			ended[id] = text.String()
		}
	}
	return ended
}

// Headers that no call can have end the connection.
func TestIllegalHeaders(t *testing.T) {
	for name, send := range map[string]func(*rawClient, uint32){
		"trailers without an end": func(r *rawClient, id uint32) { r.trailers(id, false, "x-sum") },
		"trailers with a path":    func(r *rawClient, id uint32) { r.trailers(id, true, ":path") },
		"trailers behind the end": func(r *rawClient, id uint32) {
			r.data(id, nil, true)
			r.trailers(id, true, "x-sum")
		},
		"a call of the server": func(r *rawClient, _ uint32) { r.trailers(2, true, ":path") },
	} {
		for _, path := range []string{inferPath, livePath} {
			r := start(t, usual).dial(t)
			id := r.headers(path, false)
			_ = r.framer.WriteData(id, false, live[:3])
			send(r, id)
			if err := r.flush(); err != nil {
				t.Fatal(err)
			}
			if got := r.until(t, 0); !strings.Contains(got, "goaway PROTOCOL_ERROR") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// A long error needs several frames of headers, unless the client takes only short headers.
func TestLongError(t *testing.T) {
	for _, set := range []func(*shortcut.Options){usual, nil} {
		s := start(t, set)
		_, err := s.client(t).ModelInfer(t.Context(), infer("long", 1))
		if status.Code(err) != codes.InvalidArgument || len(status.Convert(err).Message()) != 50_000 {
			t.Errorf("%.100v", err)
		}
		r := s.dial(t)
		_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: 4 << 10})
		id := r.call("long", 1)
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		if got := r.until(t, id); got != "reset INTERNAL_ERROR" {
			t.Errorf("%.100s", got)
		}
	}
}

// A stream that ends while its client takes no more data gives it all later: the data, the error, and that no more is read.
func TestEndOfAStreamWaitsForItsData(t *testing.T) {
	for _, set := range []func(*shortcut.Options){nil, usual} {
		s := start(t, set)
		r := s.dial(t)
		_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
		id := r.headers("/inference.GRPCInferenceService/ModelStreamInfer", false)
		for range 2 {
			r.data(id, message("m", "", 60_000), false)
		}
		r.data(id, message("fail", "", 1), false)
		var text strings.Builder
		for range 15 { // gRPC's writer sends a frame of data for each of its other tasks
			other := r.headers(livePath, false)
			r.data(other, live, true)
			r.inBackground()
			for at := uint32(0); at != other; {
				f, err := r.framer.ReadFrame()
				if err != nil {
					t.Fatal(err)
				}
				if at = f.Header().StreamID; at == id {
					describe(&text, f)
				}
			}
		}
		_ = r.framer.WriteWindowUpdate(0, 1<<20)
		r.inBackground()
		text.WriteString(r.until(t, id))
		if got := text.String(); strings.Count(got, "x") < 120_000 || !strings.Contains(got, "grpc-status: 3") {
			t.Errorf("%d bytes: %.300s", len(got), got[max(0, len(got)-300):])
		}
		if got := r.until(t, id); got != "reset NO_ERROR" {
			t.Error(got)
		}
	}
}

// Calls that gRPC's server does not begin with while it leaves are refused, so that their client may send them again elsewhere.
func TestCallsBeyondTheLast(t *testing.T) {
	r, inner, _ := between(t, usual)
	server := http2.NewFramer(inner, inner)
	known := make(chan struct{})
	go func() {
		_ = server.WriteSettings()
		_, _ = io.CopyN(io.Discard, inner, int64(len(http2.ClientPreface)))
		<-known
		_ = server.WriteGoAway(1, http2.ErrCodeNo, nil)
	}()
	r.headers(livePath, false)
	passed := r.headers(livePath, false)
	gathered := r.headers(inferPath, false)
	r.answered(t)
	close(known)
	if got := r.all(t, passed); got[passed] != "reset REFUSED_STREAM" {
		t.Errorf("passed on: %s", got[passed])
	}
	r.data(gathered, []byte{1, 0, 0, 0, 0}, true) // compressed
	r.inBackground()
	if got := r.all(t, gathered); got[gathered] != "reset REFUSED_STREAM" {
		t.Errorf("gathered: %s", got[gathered])
	}
}

// A client's window may come in any number of parts before its call is passed on.
func TestWindowsOfPassedCalls(t *testing.T) {
	r := start(t, usual).dial(t)
	id := r.headers(inferPath, false)
	for _, n := range []uint32{1<<31 - 1, 1<<31 - 1, 2} {
		_ = r.framer.WriteWindowUpdate(id, n)
	}
	other := r.headers(livePath, false)
	r.data(other, live, true)
	r.data(id, message("m", "", 10), true)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.all(t, id, other); !strings.Contains(got[id], "grpc-status: 0") {
		t.Error(got[id])
	}
}

// The time of a call begins with its headers.
func TestDeadlineBeginsWithTheHeaders(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	began := time.Now()
	text := message("m", "seen", 100)
	id := r.headers(inferPath, false, "grpc-timeout", "100S")
	r.data(id, text[:50], false)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	await(t, "memory in use", func() bool { return s.memory.Used() > 0 })
	<-time.After(50 * time.Millisecond)
	arrived := time.Now()
	r.data(id, text[50:], true)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, id); !strings.Contains(got, "grpc-status: 0") || s.served() != 1 {
		t.Error(got)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deadline.Before(began.Add(100*time.Second)) || !s.deadline.Before(arrived.Add(100*time.Second)) {
		t.Errorf("%v after the headers", s.deadline.Sub(began))
	}
}

// A call that is passed on, because its client is slow, has what is left of its time: also one behind a call with more time.
func TestDeadlineOfSlowCalls(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	began := time.Now()
	text := message("m", "seen", 100)
	long, short := r.headers(inferPath, false, "grpc-timeout", "100S"), r.headers(inferPath, false, "grpc-timeout", "200m")
	for _, id := range []uint32{long, short} {
		r.data(id, text[:50], false)
	}
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got, took := r.until(t, short), time.Since(began); strings.Contains(got, "grpc-status: 0") || took > shortcut.Hesitation {
		t.Errorf("after %v: %s", took, got)
	}
	<-time.After(200 * time.Millisecond)
	r.data(long, text[50:], true)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, long); !strings.Contains(got, "grpc-status: 0") || s.served() != 0 {
		t.Errorf("%d calls are served on the road: %s", s.served(), got)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if late := s.deadline.Sub(began.Add(100 * time.Second)); late > shortcut.Hesitation/2 {
		t.Errorf("the deadline is %v late", late)
	}
}

// What a handler sees of a call is what gRPC's server shows.
func TestMetadata(t *testing.T) {
	var got []string
	for _, set := range []func(*shortcut.Options){usual, nil} {
		s := start(t, set)
		r := s.dial(t)
		id := r.headers(inferPath, false, "x-twice", "1", "x-twice", "2", "user-agent", "test/1", "grpc-accept-encoding", "gzip", "grpc-status", "7",
			"grpc-message-type", "x", "grpc-timeout", "10S", "grpc-trace", "a,b")
		r.data(id, message("m", "seen", 1), true)
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		got = append(got, r.until(t, id))
		if set != nil && s.served() != 1 {
			t.Error("the road has not served the call")
		}
	}
	if got[0] != got[1] || !strings.Contains(got[0], "x-twice:[1 2]") {
		t.Errorf("%q", got)
	}
}

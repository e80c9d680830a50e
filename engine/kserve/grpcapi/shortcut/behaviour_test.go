package shortcut_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/kserve/grpcapi/shortcut"
	"conch/engine/kserve/kservepb"
)

func infer(model string, size int) *kservepb.ModelInferRequest {
	return &kservepb.ModelInferRequest{ModelName: model, RawInputContents: [][]byte{bytes.Repeat([]byte{1}, size)}}
}

// Calls of all sizes and streams of one connection, many at a time, get their own answers.
func TestManyAtOnce(t *testing.T) {
	s := start(t, usual)
	client := s.client(t)
	sizes := []int{0, 1, 1000, 20_000, 70_000, 900_000, 5 << 20}
	const most, tooLarge = 70, 30
	var all sync.WaitGroup
	for i := range most {
		all.Go(func() {
			size := sizes[i%len(sizes)]
			if i == tooLarge {
				size = 17 << 20
			}
			got, err := client.ModelInfer(t.Context(), infer([]string{"m", "slow"}[i%2], size), grpc.MaxCallRecvMsgSize(64<<20))
			if err != nil || len(got.RawOutputContents[0]) != size {
				t.Errorf("%d bytes: %v", size, err)
			}
		})
	}
	for range 5 {
		all.Go(func() { tryStream(t, client) })
	}
	all.Wait()
	if got := s.served(); got < 10 || got >= most { // one that is gathered is passed on when another has to be
		t.Errorf("the road served %d calls", got)
	}
	s.emptied(t)
}

// A message of many frames is served by the road, one that is too large is not.
func TestGathered(t *testing.T) {
	s := start(t, usual)
	client := s.client(t)
	for i, size := range []int{70_000, 1_000_000, 4 << 20, 16 << 20, 17 << 20} {
		got, err := client.ModelInfer(t.Context(), infer("m", size), grpc.MaxCallRecvMsgSize(64<<20))
		if err != nil || len(got.RawOutputContents[0]) != size {
			t.Fatal(err)
		}
		if got := s.served(); got != min(i+1, 4) {
			t.Errorf("after %d bytes the road has served %d calls", size, got)
		}
	}
}

func tryStream(t *testing.T, client kservepb.GRPCInferenceServiceClient) {
	stream, err := client.ModelStreamInfer(t.Context())
	if err != nil {
		t.Error(err)
		return
	}
	go func() {
		for range 10 {
			_ = stream.Send(infer("m", 200_000)) // the receiver sees the error
		}
		_ = stream.CloseSend()
	}()
	for range 10 {
		got, err := stream.Recv()
		if err != nil || len(got.InferResponse.RawOutputContents[0]) != 200_000 {
			t.Error("stream:", err)
			return
		}
	}
}

// A call that hangs on the reader's goroutine keeps no other from being served, and can be given up.
func TestHangingCall(t *testing.T) {
	s := start(t, usual)
	client := s.client(t)
	if _, err := client.ModelInfer(t.Context(), infer("m", 1)); err != nil {
		t.Fatal(err)
	}
	go func() { s.held <- struct{}{} }()
	if _, err := client.ModelInfer(t.Context(), infer("wait", 1)); err != nil { // now it is taken for quick
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := client.ModelInfer(ctx, infer("wait", 1))
			ended <- err
		}()
	}
	await(t, "both hang", func() bool { return s.running() == 2 })
	for range 20 {
		if _, err := client.ModelInfer(t.Context(), infer("m", 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := client.ServerLive(t.Context(), &kservepb.ServerLiveRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for range 2 {
		if err := <-ended; status.Code(err) != codes.Canceled {
			t.Error(err)
		}
	}
	await(t, "handlers are told", func() bool { return s.running() == 0 })
}

// A deadline ends a call at the client and at the handler, with Triton's words.
func TestDeadline(t *testing.T) {
	s := start(t, usual)
	client := s.client(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := client.ModelInfer(ctx, infer("wait", 1)); status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
	await(t, "the handler is told", func() bool { return s.running() == 0 })
	r := s.dial(t)
	id := r.headers(inferPath, false, "grpc-timeout", "50m")
	r.data(id, message("wait", "", 1), true)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, id); !strings.Contains(got, "grpc-status: 4") || !strings.Contains(got, "grpc-message: Deadline Exceeded") {
		t.Error(got)
	}
}

// until reads what a call gets.
func (r *rawClient) until(t *testing.T, id uint32) string {
	t.Helper()
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	var text strings.Builder
	for {
		f, err := r.framer.ReadFrame()
		if err != nil {
			return text.String() + fmt.Sprint(err)
		}
		if g, ok := f.(*http2.GoAwayFrame); ok {
			fmt.Fprintf(&text, "goaway %v %d %s ", g.ErrCode, g.LastStreamID, g.DebugData())
			if id == 0 {
				return text.String()
			}
		}
		if f.Header().StreamID == id && describe(&text, f) {
			return text.String()
		}
	}
}

// A client that gives up its calls at once cannot make more handlers run than calls are allowed, and the connection goes on.
func TestRapidReset(t *testing.T) {
	s := start(t, func(o *shortcut.Options) { o.MaxStreams = 10 })
	r := s.dial(t)
	for range 1000 {
		_ = r.framer.WriteRSTStream(r.call("wait", 1), http2.ErrCodeCancel)
	}
	last := r.call("m", 1)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, last); !strings.Contains(got, "grpc-status: 0") {
		t.Error(got)
	}
	await(t, "handlers run", func() bool { return s.running() == 0 })
	for range 11 {
		r.call("wait", 1)
	}
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, r.next-2); got != "reset REFUSED_STREAM" {
		t.Error(got)
	}
	close(s.held)
}

// Pings are answered; a client with too many of them is sent away, unless answers are sent between them.
func TestPings(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	for range 10 {
		id := r.call("m", 1)
		_ = r.framer.WritePing(false, [8]byte{1})
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		if got := r.until(t, id); !strings.Contains(got, "grpc-status: 0") {
			t.Fatal(got)
		}
	}
	for range 10 {
		_ = r.framer.WritePing(false, [8]byte{1})
	}
	_ = r.flush() // the server may be gone already
	if got := r.until(t, 0); !strings.HasPrefix(got, "goaway ENHANCE_YOUR_CALM") || !strings.Contains(got, "too_many_pings") {
		t.Error(got)
	}
}

// A connection without calls is closed.
func TestIdle(t *testing.T) {
	s := start(t, func(o *shortcut.Options) { o.Idle = 100 * time.Millisecond })
	r := s.dial(t)
	id := r.call("m", 1)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, id); !strings.Contains(got, "grpc-status: 0") {
		t.Fatal(got)
	}
	if got := r.until(t, 0); got != "goaway NO_ERROR 1 max_idle " {
		t.Error(got)
	}
	if got := r.until(t, 99); !ended(got) {
		t.Error(got)
	}
}

// A connection is looked at once all is there that the look needs, also where it may hardly rest.
func TestIdleAtOnce(t *testing.T) {
	s := start(t, func(o *shortcut.Options) { o.Idle = 10 * time.Microsecond })
	for range 200 {
		r := s.dial(t)
		_ = r.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.ReadFull(r, make([]byte, 9)); err != nil { // the head of a frame
			t.Fatal(err)
		}
		_ = r.Close()
	}
}

// A graceful end waits for the calls that the road serves.
func TestGracefulStop(t *testing.T) {
	s := start(t, usual)
	client := s.client(t)
	ended := make(chan error, 1)
	go func() {
		_, err := client.ModelInfer(t.Context(), infer("wait", 1))
		ended <- err
	}()
	await(t, "it runs", func() bool { return s.running() == 1 })
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.grpc.GracefulStop()
		s.road.Await()
	}()
	select {
	case <-stopped:
		t.Fatal("the server has ended before its call")
	case <-time.After(300 * time.Millisecond):
	}
	close(s.held)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-stopped
}

// ended reports whether a client saw the end of its connection. A socket with unread bytes is reset.
func ended(got string) bool {
	return strings.Contains(got, "EOF") || strings.Contains(got, "closed") || strings.Contains(got, "connection reset by peer")
}

// Headers beyond the bound are refused, a block without an end ends the connection.
func TestHugeHeaders(t *testing.T) {
	s := start(t, usual)
	block := newRaw(nil).fields(inferPath, "x-large", strings.Repeat("X", 60_000), "x-more", strings.Repeat("X", 10_000))
	r2 := s.dial(t)
	_ = r2.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:10_000]})
	for rest := block[10_000:]; len(rest) > 0; {
		n := min(len(rest), 16_000)
		_ = r2.framer.WriteContinuation(1, n == len(rest), rest[:n])
		rest = rest[n:]
	}
	if err := r2.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r2.until(t, 1); got != "reset FRAME_SIZE_ERROR" {
		t.Error(got)
	}
	r3 := s.dial(t)
	_ = r3.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:10]})
	for range 100 {
		_ = r3.framer.WriteContinuation(1, false, make([]byte, 16_000))
	}
	_ = r3.flush() // the server may be gone before
	if got := r3.until(t, 1); !ended(got) {
		t.Error(got)
	}
	r4 := s.dial(t)
	_ = r4.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:10]})
	for range 100_000 {
		_ = r4.framer.WriteContinuation(1, false, nil)
	}
	_ = r4.flush()
	if got := r4.until(t, 1); !ended(got) {
		t.Error("frames without a byte:", got)
	}
}

// A client that takes no answers makes its connection wait, not the memory grow beyond what was asked for, and gets all when it takes
// them.
func TestSlowReader(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	ids := make([]uint32, 50)
	for i := range ids {
		ids[i] = r.call("m", 10_000)
	}
	live := r.headers("/inference.GRPCInferenceService/ServerLive", false)
	r.data(live, make([]byte, 5), true)
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	await(t, "calls are served", func() bool { return s.served() == len(ids) })
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	for range 100 {
		_ = r.framer.WriteWindowUpdate(0, 10_000)
	}
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if got := r.until(t, ids[len(ids)-1]); strings.Count(got, "x") < 10_000 || !strings.Contains(got, "grpc-status: 0") {
		t.Errorf("%d bytes", len(got))
	}
}

package grpcapi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
	"conch/engine/tensor"
)

// bounded serves identity models within a budget, and returns a client and its address.
func bounded(t *testing.T, memory *budget.Budget, patience time.Duration, svc *kservetest.Service) (kservepb.GRPCInferenceServiceClient, *grpc.ClientConn, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpcapi.NewServer(svc, grpcapi.Options{Options: kserve.Options{Memory: memory, Patience: patience}})
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return kservepb.NewGRPCInferenceServiceClient(conn), conn, listener.Addr().String()
}

// emptied waits until all memory is free.
func emptied(t *testing.T, what string, memory *budget.Budget, left int64) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); memory.Used() != left; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %d bytes are held at the end", what, memory.Used())
		}
	}
}

func sized(bytes int) *kservepb.ModelInferRequest {
	req := request("")
	req.Inputs[0].Datatype, req.Inputs[0].Shape = "UINT8", []int64{1, int64(bytes)}
	req.RawInputContents[0] = make([]byte, bytes)
	return req
}

// A request of any size within the limit is served, compressed or not. A request that is too large, as sent or
// inflated, is refused with an error that names the way out. All memory is free afterwards.
func TestMemoryOfARequest(t *testing.T) {
	const limit = 16 << 20
	memory := budget.Of(limit)
	c, conn, _ := bounded(t, memory, 0, kservetest.Identity())
	inputs, elements := request(""), request("")
	for range 200_000 {
		inputs.Inputs = append(inputs.Inputs, &kservepb.ModelInferRequest_InferInputTensor{})
	}
	elements.RawInputContents = nil
	texts := sized(6 << 20)
	texts.Inputs[0].Datatype = "BYTES"
	elements.Inputs[0].Contents = &kservepb.InferTensorContents{BytesContents: make([][]byte, 1_000_000)}
	for name, test := range map[string]struct {
		req      *kservepb.ModelInferRequest
		compress string
		want     codes.Code
	}{
		"fits":                       {sized(7 << 20), "", codes.OK},
		"fits, inflated":             {sized(6 << 20), gzip.Name, codes.OK},
		"too large":                  {sized(limit + 1), "", codes.InvalidArgument},
		"too large, inflated":        {sized(4 * limit), gzip.Name, codes.InvalidArgument},
		"fits, deflated":             {sized(3 << 20), "deflate", codes.OK},
		"too large, deflated":        {sized(4 * limit), "deflate", codes.InvalidArgument},
		"inputs with nothing inside": {inputs, "", codes.InvalidArgument},
		"strings of elements":        {texts, "", codes.InvalidArgument},
		"elements of nothing":        {elements, "", codes.InvalidArgument},
	} {
		var options []grpc.CallOption
		if test.compress != "" {
			options = append(options, grpc.UseCompressor(test.compress), grpc.ForceCodecV2(grpcapi.NewCodec()))
		}
		_, err := c.ModelInfer(background(t), test.req, options...)
		code := status.Code(err)
		if test.compress != "" && code == codes.Unavailable { // to the inflater, the bytes that have arrived are another request's
			code = codes.InvalidArgument
		}
		if code != test.want || (err != nil && !strings.Contains(err.Error(), "--request-memory-limit")) {
			t.Errorf("%s: %v", name, err)
		}
		emptied(t, name, memory, 0)
	}
	// other calls are served meanwhile, and other services accept only small messages
	if live, err := c.ServerLive(background(t), &kservepb.ServerLiveRequest{}); err != nil || !live.Live {
		t.Error(live, err)
	}
	err := conn.Invoke(background(t), "/grpc.health.v1.Health/Check", sized(5<<20), new(kservepb.ServerLiveResponse))
	if err == nil {
		t.Error("a health check of 5 MB is taken in")
	}
	err = conn.Invoke(background(t), "/grpc.health.v1.Health/Check", sized(100<<10), new(kservepb.ServerLiveResponse),
		grpc.UseCompressor("deflate"), grpc.ForceCodecV2(grpcapi.NewCodec()))
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a health check that inflates to 100 KB: %v", err)
	}
	err = conn.Invoke(background(t), "/inference.GRPCInferenceService/ServerLive", sized(20<<20), new(kservepb.ServerLiveResponse))
	if !strings.Contains(err.Error(), "--request-memory-limit") {
		t.Error(err)
	}
}

// A request is refused while others hold all the memory, at any step. So is a request on a stream.
func TestMemoryBesideOthers(t *testing.T) {
	const limit = 4 << 20
	memory := budget.Of(limit)
	c, _, _ := bounded(t, memory, 0, kservetest.Identity())
	for taken := int64(0); taken <= limit; taken += limit / 16 {
		others := memory.Open()
		others.Force(taken)
		_, err := c.ModelInfer(background(t), sized(limit/4))
		turnedAway := status.Code(err) == codes.Unavailable && strings.Contains(err.Error(), "raise --request-memory-limit")
		if (taken == 0 && err != nil) || (taken == limit && err == nil) || (err != nil && !turnedAway) {
			t.Errorf("beside %d: %v", taken, err)
		}
		stream, err := c.ModelStreamInfer(background(t))
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.Send(sized(limit / 4)) // the error is checked below
		_ = stream.CloseSend()
		answer, err := stream.Recv()
		text := answer.GetErrorMessage()
		if err != nil {
			text = err.Error()
		}
		if (taken == 0) != (text == "") && (taken == 0 || taken == limit) || (text != "" && !strings.Contains(text, "raise --request-memory-limit")) {
			t.Errorf("in a stream beside %d: %q", taken, text)
		}
		for err == nil {
			_, err = stream.Recv()
		}
		emptied(t, "beside others", memory, taken)
		others.Close()
	}
}

// Answers that the client does not read are counted until they have been sent. Answers beyond the limit are refused
// one by one. All memory is free when the client has left, whether it has read them or not.
func TestAnswersAreCountedUntilTheyAreSent(t *testing.T) {
	const size, limit = 8 << 20, 64 << 20
	svc := kservetest.Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, sink infer.Sink) error {
		return sink(&infer.Response{Model: "m", Version: 1, Final: true, Outputs: []tensor.Tensor{
			{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{size}, Data: make([]byte, size)},
		}})
	}
	for _, reads := range []bool{true, false} {
		memory := budget.Of(limit)
		c, conn, _ := bounded(t, memory, 0, svc)
		stream, err := c.ModelStreamInfer(background(t))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := stream.Send(request("")); err != nil {
				t.Fatal(err)
			}
		}
		for memory.Used() < limit*3/4 {
			<-time.After(time.Millisecond)
		}
		if !reads {
			_ = conn.Close()
			emptied(t, "a client that has gone", memory, 0)
			continue
		}
		_ = stream.CloseSend()
		answers, refused := 0, 0
		for {
			answer, err := stream.Recv()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case answer.ErrorMessage == "":
				answers++
			case strings.Contains(answer.ErrorMessage, "raise --request-memory-limit"):
				refused++
			default:
				t.Error(answer.ErrorMessage)
			}
		}
		if answers < 6 || refused == 0 || answers+refused != 20 {
			t.Errorf("%d answers and %d refusals", answers, refused)
		}
		emptied(t, "a client that has read all", memory, 0)
	}
}

// A client that reads none of its answers does not block other clients. When its answers hold most of the memory, its
// connection is closed.
func TestUnreadAnswersLockNobodyOut(t *testing.T) {
	const size, limit = 8 << 20, 32 << 20
	svc := kservetest.Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, sink infer.Sink) error {
		return sink(&infer.Response{Model: "m", Version: 1, Final: true, Outputs: []tensor.Tensor{
			{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{size}, Data: make([]byte, size)},
		}})
	}
	memory := budget.Of(limit)
	c, _, _ := bounded(t, memory, 200*time.Millisecond, svc)
	stream, err := c.ModelStreamInfer(background(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		_ = stream.Send(request("")) // its connection may close before the last
	}
	for memory.Used() < limit/2 {
		<-time.After(time.Millisecond)
	}
	emptied(t, "answers that nobody reads", memory, 0)
}

// A client that stops in the middle of a message gets an error, and the memory of its message is freed.
func TestPatience(t *testing.T) {
	memory := budget.Of(64 << 20)
	_, _, address := bounded(t, memory, 200*time.Millisecond, kservetest.Identity())
	const want = "the rest of the request did not come within 200ms"
	framed := framed(t, sized(100_000))
	for name, c := range map[string]struct {
		method string
		sent   int
	}{
		"nothing":           {"ModelInfer", 0},
		"half a prefix":     {"ModelInfer", 3},
		"half a message":    {"ModelInfer", 60_000},
		"half, in a stream": {"ModelStreamInfer", 60_000},
	} {
		h := newHTTP2(t, address)
		h.header(t, c.method)
		for part := range slices.Chunk(framed[:c.sent], 10_000) {
			h.data(t, part)
		}
		if got := h.message(t); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	emptied(t, "at the end", memory, 0)
}

// A slow client may go on, and a stream may be idle between its messages. A busy machine may stand still for most of the patience.
func TestPatienceWithTheSlow(t *testing.T) {
	const patience = 2 * time.Second
	for _, method := range []string{"ModelInfer", "ModelStreamInfer"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			memory := budget.Of(64 << 20)
			_, _, address := bounded(t, memory, patience, kservetest.Identity())
			framed, h := framed(t, sized(100_000)), newHTTP2(t, address)
			h.header(t, method)
			for part := range slices.Chunk(framed, 10_000) {
				h.data(t, part)
				time.Sleep(patience / 8) // a slow client: in all it takes longer than it may pause
			}
			if method == "ModelStreamInfer" {
				time.Sleep(patience * 3 / 2)
				for part := range slices.Chunk(framed, 10_000) {
					h.data(t, part)
				}
			}
			h.close(t)
			if got := h.message(t); got != "" {
				t.Errorf("it is refused: %q", got)
			}
			emptied(t, "at the end", memory, 0)
		})
	}
}

// framed is a message as gRPC sends it.
func framed(t *testing.T, message proto.Message) []byte {
	t.Helper()
	text, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(text))), text...)
}

// http2Client speaks HTTP/2 by hand.
type http2Client struct {
	net.Conn
	framer *http2.Framer
}

func newHTTP2(t *testing.T, address string) *http2Client {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	h := &http2Client{c, http2.NewFramer(c, c)}
	h.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := h.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 24}); err != nil {
		t.Fatal(err)
	}
	if err := h.framer.WriteWindowUpdate(0, 1<<24); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *http2Client) header(t *testing.T, method string, more ...[2]string) {
	t.Helper()
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for _, f := range append([][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", "/inference.GRPCInferenceService/" + method}, {":authority", "localhost"},
		{"content-type", "application/grpc"}, {"te", "trailers"},
	}, more...) {
		_ = e.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}) // a buffer never fails
	}
	half := b.Len() / 2 // in two frames
	if err := h.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b.Bytes()[:half]}); err != nil {
		t.Fatal(err)
	}
	if err := h.framer.WriteContinuation(1, true, b.Bytes()[half:]); err != nil {
		t.Fatal(err)
	}
}

// data sends a part of a message with padding.
func (h *http2Client) data(t *testing.T, b []byte) {
	t.Helper()
	if err := h.framer.WriteDataPadded(1, false, b, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
}

func (h *http2Client) close(t *testing.T) {
	t.Helper()
	if err := h.framer.WriteData(1, true, nil); err != nil {
		t.Fatal(err)
	}
}

// message returns grpc-message of the end of the call; "reset" where it ends without words.
func (h *http2Client) message(t *testing.T) string {
	t.Helper()
	for {
		frame, err := h.framer.ReadFrame()
		if err != nil {
			return err.Error()
		}
		if reset, ok := frame.(*http2.RSTStreamFrame); ok && reset.ErrCode == http2.ErrCodeCancel {
			return "reset"
		}
		if headers, ok := frame.(*http2.MetaHeadersFrame); ok && headers.StreamEnded() {
			for _, f := range headers.RegularFields() {
				if f.Name == "grpc-message" {
					return f.Value
				}
			}
			return ""
		}
	}
}

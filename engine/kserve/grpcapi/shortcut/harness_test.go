package shortcut_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"conch/engine/budget"
	"conch/engine/kserve/grpcapi/shortcut"
	"conch/engine/kserve/kservepb"
)

const inferPath = "/inference.GRPCInferenceService/ModelInfer"

// service gives requests back. Model "fail" fails, model "long" with a long text, model "wait" waits for held or for its end, model
// "stubborn" for held alone, and model "steady" takes a while. A request "seen" is answered with what a handler sees of its call.
type service struct {
	kservepb.UnimplementedGRPCInferenceServiceServer
	held chan struct{}
	mu   sync.Mutex
	runs int // requests that run now
	// What the road's handler was called by.
	readers, others int
	during          func() // is called in the handler
	changing        bool   // each call finds a new config
	ends            []error
	// What the newest request "seen" had.
	deadline time.Time
	caller   *peer.Peer
}

func (s *service) ModelInfer(ctx context.Context, r *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
	switch r.ModelName {
	case "fail":
		return nil, status.Error(codes.InvalidArgument, "100 % wrong: äöü\n")
	case "long":
		return nil, status.Error(codes.InvalidArgument, strings.Repeat("long ", 10_000))
	case "steady":
		for until := time.Now().Add(100 * time.Microsecond); time.Now().Before(until); {
			runtime.Gosched()
		}
	case "stubborn":
		s.count(1, nil)
		<-s.held
		s.count(-1, nil)
	case "wait":
		s.count(1, nil)
		var err error
		select {
		case <-s.held:
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.count(-1, err)
		if err != nil {
			return nil, status.FromContextError(err).Err()
		}
	}
	id := r.Id
	if id == "seen" {
		md, _ := metadata.FromIncomingContext(ctx)
		at, ok := ctx.Deadline()
		id = fmt.Sprint(map[string][]string(md), ok) // as text, metadata hides values
		s.mu.Lock()
		s.deadline = at
		if p, ok := peer.FromContext(ctx); ok {
			s.caller = p
		}
		s.mu.Unlock()
	}
	return &kservepb.ModelInferResponse{ModelName: r.ModelName, Id: id, RawOutputContents: r.RawInputContents}, nil
}

func (s *service) count(n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs += n
	if n < 0 {
		s.ends = append(s.ends, err)
	}
}

func (s *service) running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs
}

func (s *service) ModelStreamInfer(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error {
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		answer, err := s.ModelInfer(stream.Context(), r)
		if err != nil {
			return err
		}
		if err := stream.Send(&kservepb.ModelStreamInferResponse{InferResponse: answer}); err != nil {
			return err
		}
	}
}

func (s *service) ServerLive(context.Context, *kservepb.ServerLiveRequest) (*kservepb.ServerLiveResponse, error) {
	return &kservepb.ServerLiveResponse{Live: true}, nil
}

// server is gRPC's server with a road in front of it, or without one.
type server struct {
	*service
	connect func() (net.Conn, error)
	grpc    *grpc.Server
	road    *shortcut.Road
	memory  *budget.Budget
	codec   countingCodec
}

// countingCodec counts the messages that the road reads, and the parts of its answers whose memory is not given back.
type countingCodec struct {
	encoding.CodecV2
	mu    *sync.Mutex
	read  *int
	inUse *atomic.Int64
}

// Marshal returns a message in several parts.
func (c countingCodec) Marshal(v any) (mem.BufferSlice, error) {
	whole, err := c.CodecV2.Marshal(v)
	if err != nil {
		return nil, err
	}
	text := whole.Materialize()
	whole.Free()
	var out mem.BufferSlice
	for size := 10; len(text) > 0; size *= 500 {
		part := bytes.Clone(text[:min(size, len(text))])
		text = text[len(part):]
		if !mem.IsBelowBufferPoolingThreshold(cap(part)) { // others are never given back
			c.inUse.Add(1)
		}
		out = append(out, mem.NewBuffer(&part, spoiling{inUse: c.inUse}))
	}
	return out, nil
}

// spoiling is a pool that spoils what is given back: who reads it later gets something else.
type spoiling struct {
	mem.NopBufferPool
	inUse *atomic.Int64
}

func (s spoiling) Put(b *[]byte) {
	for i := range *b {
		(*b)[i] = '?'
	}
	s.inUse.Add(-1)
}

// emptied waits until the memory of all requests and answers is given back.
func (s *server) emptied(t testing.TB) {
	t.Helper()
	await(t, "memory in use", func() bool { return s.memory.Used() == 0 && s.codec.inUse.Load() == 0 })
}

func (c countingCodec) Unmarshal(data mem.BufferSlice, v any) error {
	c.mu.Lock()
	*c.read++
	c.mu.Unlock()
	return c.CodecV2.Unmarshal(data, v)
}

func (s *server) served() int {
	s.codec.mu.Lock()
	defer s.codec.mu.Unlock()
	return *s.codec.read
}

type creds struct {
	credentials.TransportCredentials
	road *shortcut.Road
}

func (c creds) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	if err == nil {
		conn = c.road.Over(conn, info)
	}
	return conn, info, err
}

func options() shortcut.Options {
	return shortcut.Options{
		Path: inferPath, Pool: mem.DefaultBufferPool(), MaxStreams: 100, MaxHeader: 64 << 10, MinPing: 5 * time.Minute,
		Idle: time.Hour, Patience: 20 * time.Second,
	}
}

// sockets tells start to serve on real sockets, which are read and written in another way than connections in memory.
var sockets bool

// TestMain runs all tests on connections in memory, and then on sockets.
func TestMain(m *testing.M) {
	failed := m.Run()
	if sockets = true; failed == 0 {
		failed = m.Run()
	}
	os.Exit(failed)
}

// start serves, in memory unless sockets says otherwise. set changes the road's options; without it there is no road.
func start(t testing.TB, set func(*shortcut.Options)) *server {
	if sockets {
		return onTCP(t, set)
	}
	l := bufconn.Listen(1 << 20)
	return startOn(t, l, l.Dial, set, insecure.NewCredentials())
}

// startOn serves on a listener, to which connect leads.
func startOn(t testing.TB, l net.Listener, connect func() (net.Conn, error), set func(*shortcut.Options), under credentials.TransportCredentials) *server {
	s := &server{service: &service{held: make(chan struct{})}, connect: connect, memory: budget.Of(1 << 30)}
	s.codec = countingCodec{encoding.GetCodecV2(protocodec.Name), new(sync.Mutex), new(int), new(atomic.Int64)}
	o := []grpc.ServerOption{
		grpc.MaxHeaderListSize(64 << 10), grpc.InitialWindowSize(shortcut.Window), grpc.InitialConnWindowSize(4 * shortcut.Window), grpc.MaxConcurrentStreams(100),
		grpc.MaxRecvMsgSize(64 << 20),
	}
	if set != nil {
		road := options()
		road.Memory, road.Codec, road.Handler = s.memory, s.codec, s.handle
		set(&road)
		s.road = shortcut.New(road)
		o = append(o, grpc.Creds(creds{under, s.road}))
	}
	s.grpc = grpc.NewServer(o...)
	kservepb.RegisterGRPCInferenceServiceServer(s.grpc, s.service)
	done := make(chan error, 1)
	go func() { done <- s.grpc.Serve(l) }()
	t.Cleanup(func() {
		s.grpc.Stop()
		if s.road != nil {
			s.road.Close()
			s.road.Await()
		}
		if err := <-done; err != nil && !errors.Is(err, grpc.ErrServerStopped) { // a test may end before Serve begins
			t.Error(err)
		}
	})
	return s
}

func usual(*shortcut.Options) {}

// handle is the road's handler.
func (s *server) handle(stream grpc.ServerStream) error {
	r := new(kservepb.ModelInferRequest)
	if err := stream.RecvMsg(r); err != nil {
		return err
	}
	var config any = s
	if s.changing {
		config = new(byte)
	}
	stream.(shortcut.Learner).Direct(config, func() bool { return r.ModelName != "slow" })
	s.note()
	answer, err := s.ModelInfer(stream.Context(), r)
	if err != nil {
		return err
	}
	return stream.SendMsg(answer)
}

// note counts who calls the handler, and does what a test wants to happen meanwhile.
func (s *server) note() {
	stack := make([]byte, 16<<10)
	stack = stack[:runtime.Stack(stack, false)]
	s.mu.Lock()
	during := s.during
	if s.during = nil; bytes.Contains(stack, []byte("(*batch).serve")) {
		s.others++
	} else {
		s.readers++
	}
	s.mu.Unlock()
	if during != nil {
		during()
	}
}

// callers returns how many calls the readers of connections have served, and how many other goroutines have.
func (s *server) callers() (readers, others int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers, s.others
}

// onTCP serves on a real socket.
func onTCP(t testing.TB, set func(*shortcut.Options)) *server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, l, func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }, set, insecure.NewCredentials())
}

// dial returns a client that speaks HTTP/2 by itself.
func (s *server) dial(t testing.TB) *rawClient { return newRaw(s.pipe(t)) }

func (s *server) pipe(t testing.TB) net.Conn {
	conn, err := s.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.SetDeadline(time.Time{}) // its timer would keep the connection's buffers, and a fuzzer makes thousands in its time
		_ = conn.Close()
	})
	return conn
}

func (s *server) client(t testing.TB) kservepb.GRPCInferenceServiceClient {
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return s.connect() }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return kservepb.NewGRPCInferenceServiceClient(conn)
}

// rawClient builds frames, and reads what the server sends.
type rawClient struct {
	net.Conn
	text    bytes.Buffer // frames that are not sent
	framer  *http2.Framer
	encoder *hpack.Encoder
	block   bytes.Buffer
	next    uint32
}

func newRaw(conn net.Conn) *rawClient {
	r := &rawClient{Conn: conn, next: 1}
	r.framer = http2.NewFramer(&r.text, conn)
	r.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	r.framer.AllowIllegalWrites = true
	r.encoder = hpack.NewEncoder(&r.block)
	r.text.WriteString(http2.ClientPreface)
	_ = r.framer.WriteSettings() // a buffer never fails
	return r
}

func (r *rawClient) flush() error {
	defer r.text.Reset()
	_, err := r.Write(r.text.Bytes())
	return err
}

// headers begins a call.
func (r *rawClient) headers(path string, end bool, more ...string) uint32 {
	id := r.next
	r.next += 2
	_ = r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: r.fields(path, more...), EndHeaders: true, EndStream: end})
	return id
}

func (r *rawClient) fields(path string, more ...string) []byte {
	r.block.Reset()
	all := append([]string{":method", "POST", ":scheme", "http", ":path", path, ":authority", "test", "content-type", "application/grpc", "te", "trailers"}, more...)
	for i := 0; i < len(all); i += 2 {
		_ = r.encoder.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1]})
	}
	return r.block.Bytes()
}

// message returns a request with its prefix.
func message(model, id string, size int) []byte {
	m, _ := proto.Marshal(&kservepb.ModelInferRequest{ModelName: model, Id: id, RawInputContents: [][]byte{bytes.Repeat([]byte{'x'}, size)}})
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(m))), m...)
}

// call sends a whole call.
func (r *rawClient) call(model string, size int) uint32 {
	id := r.headers(inferPath, false)
	r.data(id, message(model, "", size), true)
	return id
}

// data sends frames of usual size.
func (r *rawClient) data(id uint32, b []byte, end bool) {
	for len(b) > 16<<10 {
		_ = r.framer.WriteData(id, false, b[:16<<10])
		b = b[16<<10:]
	}
	_ = r.framer.WriteData(id, end, b)
}

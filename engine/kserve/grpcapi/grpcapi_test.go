package grpcapi_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/tracing"
)

// dial serves svc on a free port and connects to it.
func dial(t testing.TB, svc kserve.Service) *grpc.ClientConn {
	return dialWith(t, svc, grpcapi.Options{Kept: new(tracing.Kept)})
}

func dialWith(t testing.TB, svc kserve.Service, options grpcapi.Options) *grpc.ClientConn {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpcapi.NewServer(svc, options)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
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
	return conn
}

func client(t testing.TB, svc kserve.Service) kservepb.GRPCInferenceServiceClient {
	return kservepb.NewGRPCInferenceServiceClient(dial(t, svc))
}

func background(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func ints(values ...int32) []byte {
	out, _ := binary.Append(nil, binary.LittleEndian, values)
	return out
}

// request returns a request to model m with raw data.
func request(id string) *kservepb.ModelInferRequest {
	return &kservepb.ModelInferRequest{
		ModelName: "m", Id: id,
		Inputs:           []*kservepb.ModelInferRequest_InferInputTensor{{Name: "IN", Datatype: "INT32", Shape: []int64{1, 3}}},
		RawInputContents: [][]byte{ints(1, 2, 3)},
	}
}

func TestInfer(t *testing.T) {
	c := client(t, kservetest.Identity())
	got, err := c.ModelInfer(background(t), request("7"))
	if err != nil {
		t.Fatal(err)
	}
	want := &kservepb.ModelInferResponse{
		ModelName: "m", ModelVersion: "1", Id: "7",
		Outputs:           []*kservepb.ModelInferResponse_InferOutputTensor{{Name: "OUT", Datatype: "INT32", Shape: []int64{1, 3}}},
		RawOutputContents: [][]byte{ints(1, 2, 3)},
	}
	if !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A message that is larger than many windows and than gRPC's default limit passes both ways.
func TestLargeTensor(t *testing.T) {
	c := client(t, kservetest.Identity())
	req := request("")
	req.RawInputContents[0] = make([]byte, 20<<20)
	req.RawInputContents[0][12345678] = 1
	got, err := c.ModelInfer(background(t), req, grpc.MaxCallRecvMsgSize(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	if string(got.RawOutputContents[0]) != string(req.RawInputContents[0]) {
		t.Error("the tensor came back changed")
	}
}

func TestTraceTrailer(t *testing.T) {
	c := client(t, kservetest.Identity())
	var trailer metadata.MD
	ctx := metadata.AppendToOutgoingContext(background(t), "conch-trace", "1")
	if _, err := c.ModelInfer(ctx, request(""), grpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	values := trailer.Get("conch-trace-bin")
	if len(values) != 1 {
		t.Fatalf("trailer %v", trailer)
	}
	got := &enginepb.RequestTrace{}
	if err := proto.Unmarshal([]byte(values[0]), got); err != nil {
		t.Fatal(err)
	}
	if want := (&enginepb.Timings{QueueNs: 1, InputNs: 2, InferNs: 3, OutputNs: 4, TotalNs: 10}); !proto.Equal(got.Timings, want) {
		t.Errorf("timings = %v, want %v", got.Timings, want)
	}
	if len(got.Steps) != 1 || got.Steps[0].Index != 1 || got.Steps[0].Model != "part" || got.Steps[0].Version != 2 || got.Steps[0].StartNs != 5 {
		t.Errorf("steps = %v", got.Steps)
	}
	if s := got.Span; s.ReceivedUnixNs == 0 || s.EndedNs < s.QueuedNs || len(s.ResponsesNs) != 1 || got.TraceId != 0 {
		t.Errorf("trace = %v", got)
	}
}

func TestHealth(t *testing.T) {
	ready := true
	conn := dial(t, &kservetest.Service{ReadyFunc: func() bool { return ready }})
	health := grpc_health_v1.NewHealthClient(conn)
	for range 2 {
		got, err := health.Check(background(t), &grpc_health_v1.HealthCheckRequest{Service: "whatever"})
		if err != nil || (got.Status == grpc_health_v1.HealthCheckResponse_SERVING) != ready {
			t.Errorf("ready %v: %v, %v", ready, got, err)
		}
		ready = !ready
	}
}

func TestReflectionFindsTheService(t *testing.T) {
	stream, err := grpc_reflection_v1.NewServerReflectionClient(dial(t, &kservetest.Service{})).ServerReflectionInfo(background(t))
	if err != nil {
		t.Fatal(err)
	}
	symbol := &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{
		FileContainingSymbol: "inference.GRPCInferenceService.ModelInfer",
	}
	if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: symbol}); err != nil {
		t.Fatal(err)
	}
	resp, err := stream.Recv()
	if err != nil || len(resp.GetFileDescriptorResponse().GetFileDescriptorProto()) < 2 {
		t.Errorf("%d files, %v: want the service's and the one it imports",
			len(resp.GetFileDescriptorResponse().GetFileDescriptorProto()), err)
	}
}

func TestMetadataAndRepository(t *testing.T) {
	c, ctx := client(t, kservetest.Identity()), background(t)
	meta, err := c.ModelMetadata(ctx, &kservepb.ModelMetadataRequest{Name: "m"})
	if err != nil || meta.Platform != "python" || meta.Inputs[0].Datatype != "INT32" || len(meta.Inputs[0].Shape) != 2 {
		t.Errorf("metadata %v, %v", meta, err)
	}
	config, err := c.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: "m", Version: "1"})
	if err != nil || config.Config.MaxBatchSize != 8 {
		t.Errorf("config %v, %v", config, err)
	}
	stats, err := c.ModelStatistics(ctx, &kservepb.ModelStatisticsRequest{})
	if err != nil || len(stats.ModelStats) != 2 || stats.ModelStats[0].InferenceStats.CacheMiss.Ns != 8000 {
		t.Errorf("statistics %v, %v", stats, err)
	}
	index, err := c.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{})
	if err != nil || len(index.Models) != 3 || index.Models[2].Reason != "unloaded" {
		t.Errorf("index %v, %v", index, err)
	}
	server, err := c.ServerMetadata(ctx, &kservepb.ServerMetadataRequest{})
	if err != nil || server.Name != "triton" || len(server.Extensions) != 13 {
		t.Errorf("server %v, %v", server, err)
	}
	ready, err := c.ModelReady(ctx, &kservepb.ModelReadyRequest{Name: "zz"})
	if err != nil || ready.Ready {
		t.Errorf("unknown model ready: %v, %v", ready, err)
	}
}

// expectStatus checks an error's code and the beginning of its text.
func expectStatus(t *testing.T, name string, err error, want string) {
	t.Helper()
	if got := status.Convert(err); !strings.HasPrefix(got.Code().String()+" "+got.Message(), want) {
		t.Errorf("%s: %v %s, want %s", name, got.Code(), got.Message(), want)
	}
}

func TestCancelledCall(t *testing.T) {
	svc := kservetest.Identity()
	svc.InferFunc = waitForCancel
	ctx, cancel := context.WithCancel(background(t))
	cancel()
	_, err := client(t, svc).ModelInfer(ctx, request(""))
	if status.Code(err) != codes.Canceled {
		t.Error(err)
	}
}

func BenchmarkInfer(b *testing.B) {
	c, ctx := client(b, kservetest.Identity()), context.Background()
	for _, size := range []int{12, 1 << 20} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			req := request("")
			req.RawInputContents[0] = make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.ModelInfer(ctx, req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

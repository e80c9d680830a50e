package grpcapi_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/stats"

	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
)

// answerCompression keeps the compression that the headers of the last answer name.
type answerCompression struct {
	mu   sync.Mutex
	last string
}

func (*answerCompression) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return ctx
}
func (*answerCompression) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return ctx
}
func (*answerCompression) HandleConn(context.Context, stats.ConnStats) {}

func (a *answerCompression) HandleRPC(_ context.Context, s stats.RPCStats) {
	if header, ok := s.(*stats.InHeader); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.last = header.Compression
	}
}

func (a *answerCompression) get() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

func compressing(t *testing.T, compressors []string) (kservepb.GRPCInferenceServiceClient, *answerCompression) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpcapi.NewServer(kservetest.Identity(), grpcapi.Options{Compress: compressors})
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	seen := &answerCompression{}
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStatsHandler(seen), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpcapi.NewCodec())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-done
	})
	return kservepb.NewGRPCInferenceServiceClient(conn), seen
}

// Answers of inference are compressed as the server says, and no others. The compression of the request does not count. All
// of this was asked of Triton 24.10.
func TestAnswersAreCompressedAsTheServerSays(t *testing.T) {
	for name, compressors := range map[string][]string{
		"": nil, gzip.Name: {gzip.Name, grpcapi.Deflate}, grpcapi.Deflate: {grpcapi.Deflate, gzip.Name},
	} {
		c, seen := compressing(t, compressors)
		for _, sent := range []string{"", gzip.Name, grpcapi.Deflate} {
			var with []grpc.CallOption
			if sent != "" {
				with = append(with, grpc.UseCompressor(sent))
			}
			ctx := background(t)
			if _, err := c.ModelInfer(ctx, request(""), with...); err != nil || seen.get() != name {
				t.Errorf("%q for %q: ModelInfer answers with %q, %v", name, sent, seen.get(), err)
			}
			if _, err := c.ModelMetadata(ctx, &kservepb.ModelMetadataRequest{Name: "m"}, with...); err != nil || seen.get() != "" {
				t.Errorf("%q for %q: ModelMetadata answers with %q, %v", name, sent, seen.get(), err)
			}
			if err := streamOnce(ctx, c, with); err != nil || seen.get() != name {
				t.Errorf("%q for %q: ModelStreamInfer answers with %q, %v", name, sent, seen.get(), err)
			}
		}
	}
}

func streamOnce(ctx context.Context, c kservepb.GRPCInferenceServiceClient, with []grpc.CallOption) error {
	stream, err := c.ModelStreamInfer(ctx, with...)
	if err != nil {
		return err
	}
	if err := stream.Send(request("")); err != nil {
		return err
	}
	if _, err := stream.Recv(); err != nil {
		return err
	}
	return stream.CloseSend()
}

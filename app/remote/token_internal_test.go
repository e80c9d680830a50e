package remote

import (
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/app/pulse"
	"conch/engine/kserve/kservepb"
)

// repeats is a server that repeats the token of a stream, in an answer and as it ends.
type repeats struct {
	kservepb.UnimplementedGRPCInferenceServiceServer
}

func (repeats) ModelStreamInfer(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error {
	md, _ := metadata.FromIncomingContext(stream.Context())
	text := md.Get("authorization")[0] + " is not known"
	if err := stream.Send(&kservepb.ModelStreamInferResponse{ErrorMessage: text}); err != nil {
		return err
	}
	return status.Error(codes.Unauthenticated, text)
}

// TestTokenOfAStream: a token is in no error of a stream, also where the server repeats it.
func TestTokenOfAStream(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	kservepb.RegisterGRPCInferenceServiceServer(server, repeats{})
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	o := Options{Address: "grpc://" + l.Addr().String(), Headers: []Header{{"authorization", "Bearer a-token-that-nobody-reads"}}}
	conn, err := o.dial(new(pulse.Pulse))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	stream, err := kservepb.NewGRPCInferenceServiceClient(conn).ModelStreamInfer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil || answer.ErrorMessage != "Bearer … is not known" {
		t.Errorf("answered with %v, %v", answer, err)
	}
	if _, err = stream.Recv(); status.Code(err) != codes.Unauthenticated || strings.Contains(err.Error(), "nobody") || !strings.HasSuffix(err.Error(), "Bearer … is not known") {
		t.Errorf("ended with %v", err)
	}
}

package remote

import (
	"net"
	"testing"

	"google.golang.org/grpc"

	"conch/app/enginehost"
	"conch/app/pulse"
	"conch/engine/kserve/kservepb"
)

// TestFirstQuestionFindsAServerAgain: a server that was away and answers again is found with the first question, also over gRPC.
func TestFirstQuestionFindsAServerAgain(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	opts := Options{Name: "n", Address: "grpc://" + at}
	conn, err := opts.dial(new(pulse.Pulse))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	s := &Server{
		opts: opts, conn: conn, calls: kservepb.NewGRPCInferenceServiceClient(conn), up: func(enginehost.Update) {},
		models: newModels(), counters: newCounters(), patience: longestAnswer,
	}
	for range 3 {
		if err := s.ask(t.Context()); err == nil {
			t.Fatal("nobody listens, and it answers")
		}
	}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	kservepb.RegisterGRPCInferenceServiceServer(server, &peer{index: func() (*kservepb.RepositoryIndexResponse, error) { return &kservepb.RepositoryIndexResponse{}, nil }})
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	if err := s.ask(t.Context()); err != nil {
		t.Errorf("it answers again, and the question ends with: %v", err)
	}
}

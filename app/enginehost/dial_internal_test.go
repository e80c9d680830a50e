package enginehost

import (
	"bytes"
	"context"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"conch/app/pulse"
	"conch/engine/kserve/enginepb"
)

// The engine is asked every second. A connection that is measured sends a ping after each answer.
func TestConnectionIsNotMeasured(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "engine")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var pings atomic.Int64
	server := grpc.NewServer()
	enginepb.RegisterEngineServer(server, answering{})
	go func() { _ = server.Serve(counting{listener, &pings}) }()
	defer server.Stop()
	conn, err := dial(socket, new(pulse.Pulse))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for range 5 {
		if _, err := newClient(conn).private.Sample(t.Context(), &enginepb.SampleRequest{}, grpc.WaitForReady(true)); err != nil {
			t.Fatal(err)
		}
	}
	if n := pings.Load(); n > 0 {
		t.Errorf("the connection was measured %d times", n)
	}
}

type answering struct {
	enginepb.UnimplementedEngineServer
}

func (answering) Sample(context.Context, *enginepb.SampleRequest) (*enginepb.SampleResponse, error) {
	return &enginepb.SampleResponse{TimeMs: 1}, nil
}

// measuring is the frame of such a ping; its answer has a flag.
var measuring = []byte{0, 0, 8, 6, 0, 0, 0, 0, 0, 2, 4, 16, 16, 9, 14, 7, 7}

// counting counts the pings that gRPC measures its connections with.
type counting struct {
	net.Listener
	pings *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	return counted{conn, c.pings}, err
}

type counted struct {
	net.Conn
	pings *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.pings.Add(int64(bytes.Count(b[:n], measuring)))
	return n, err
}

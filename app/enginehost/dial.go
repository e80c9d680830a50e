package enginehost

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"conch/app/pulse"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// dial prepares a connection to the private socket, which need not exist yet. Calls that wait for it
// try again every few milliseconds, because a person is waiting. Calls end when the engine stops
// answering. Messages may be as large as gRPC can send. The windows are fixed: otherwise gRPC measures the connection with
// a ping after each message, which wakes both processes once more every second.
func dial(socket string, p *pulse.Pulse) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("unix:"+socket,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(p.Unary), grpc.WithStreamInterceptor(p.Stream),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
		grpc.WithConnectParams(grpc.ConnectParams{
			MinConnectTimeout: 2 * time.Second,
			Backoff:           backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.2, Jitter: 0.1, MaxDelay: 50 * time.Millisecond},
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("connect to the engine: %w", err)
	}
	return conn, nil
}

// window is how many bytes the engine may send before they are read.
const window = 16 << 20

func newClient(conn *grpc.ClientConn) *client {
	return &client{kserve: kservepb.NewGRPCInferenceServiceClient(conn), private: enginepb.NewEngineClient(conn)}
}

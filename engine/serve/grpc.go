package serve

import (
	"compress/gzip"
	"fmt"
	"time"

	"google.golang.org/grpc"
	grpcgzip "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/keepalive"
)

// idleConnection is how long a connection may have no call, as over HTTP. Clients open another when they need one.
const idleConnection = 10 * time.Minute

// keepalive are the options of gRPC's connections; without flags the defaults stand.
func (f *Flags) keepalive() []grpc.ServerOption {
	if f.KeepaliveMs == 0 {
		return nil
	}
	return []grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: milliseconds(f.KeepaliveMs), Timeout: milliseconds(f.KeepaliveWaitMs),
			MaxConnectionIdle: idleConnection,
			MaxConnectionAge:  milliseconds(f.MaxConnectionMs), MaxConnectionAgeGrace: milliseconds(f.ConnectionGraceMs),
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: milliseconds(f.MinPingMs), PermitWithoutStream: f.KeepaliveIdle}),
	}
}

// compression sets how hard responses are compressed, if they are.
func (f *Flags) compression() (bool, error) {
	level, on := map[string]int{"low": gzip.BestSpeed, "medium": 6, "high": gzip.BestCompression}[f.GRPCCompress]
	if !on {
		return false, nil
	}
	if err := grpcgzip.SetLevel(level); err != nil {
		return false, fmt.Errorf("--grpc-infer-response-compression-level: %w", err)
	}
	return true, nil
}

func milliseconds(n int64) time.Duration { return time.Duration(max(n, 0)) * time.Millisecond }

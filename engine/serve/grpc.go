package serve

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// keepalive are the options of gRPC's connections; without flags the defaults stand.
func (f *Flags) keepalive() []grpc.ServerOption {
	if f.KeepaliveMs == 0 {
		return nil
	}
	return []grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: milliseconds(f.KeepaliveMs), Timeout: milliseconds(f.KeepaliveWaitMs),
			MaxConnectionAge: milliseconds(f.MaxConnectionMs), MaxConnectionAgeGrace: milliseconds(f.ConnectionGraceMs),
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: milliseconds(f.MinPingMs), PermitWithoutStream: f.KeepaliveIdle}),
	}
}

func milliseconds(n int64) time.Duration { return time.Duration(max(n, 0)) * time.Millisecond }

package serve

import (
	"fmt"
	"math"
	"time"
)

// ranges refuses numbers that are outside the range of their flag (docs/triton/flags.md, "Refused values").
func (f *Flags) ranges() error {
	const (
		unlimited    = math.MaxInt64
		port         = math.MaxUint16
		seconds      = int64(unlimited / time.Second)
		milliseconds = int64(unlimited / time.Millisecond)
	)
	for _, flag := range []struct {
		name               string
		value, least, most int64
	}{
		{"model-load-thread-count", int64(f.LoadThreads), 0, math.MaxInt32},
		{"model-load-retry-count", int64(f.LoadRetries), 0, math.MaxInt32},
		{"http-port", int64(f.HTTPPort), 0, port},
		{"grpc-port", int64(f.GRPCPort), 0, port},
		{"metrics-port", int64(f.MetricsPort), 0, port},
		{"exit-timeout-secs", int64(f.ExitTimeoutSecs), 0, seconds},
		{"repository-poll-secs", int64(f.PollSecs), 0, seconds},
		{"http-max-input-size", f.HTTPMaxInput, 1, unlimited},
		{"response-cache-byte-size", f.CacheBytes, 0, unlimited},
		{"request-memory-limit", f.RequestMemory, -1, unlimited},
		{"max-connections", int64(f.MaxConnections), 0, unlimited},
		{"grpc-keepalive-time", f.KeepaliveMs, math.MinInt64, milliseconds},
		{"grpc-keepalive-timeout", f.KeepaliveWaitMs, math.MinInt64, milliseconds},
		{"grpc-http2-min-recv-ping-interval-without-data", f.MinPingMs, math.MinInt64, milliseconds},
		{"grpc-max-connection-age", f.MaxConnectionMs, math.MinInt64, milliseconds},
		{"grpc-max-connection-age-grace", f.ConnectionGraceMs, math.MinInt64, milliseconds},
	} {
		switch {
		case flag.value < flag.least:
			return fmt.Errorf("--%s=%d is too small: use %d or more", flag.name, flag.value, flag.least)
		case flag.value > flag.most:
			return fmt.Errorf("--%s=%d is too large: use %d or less", flag.name, flag.value, flag.most)
		}
	}
	return nil
}

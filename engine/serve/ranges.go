package serve

import (
	"fmt"
	"math"
	"time"
)

// ranges refuses numbers that are outside the range of their flag.
func (f *Flags) ranges() error {
	const (
		unlimited    = math.MaxInt64
		seconds      = int64(unlimited / time.Second)
		milliseconds = int64(unlimited / time.Millisecond)
	)
	for _, flag := range []struct {
		name               string
		value, least, most int64
	}{
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

//go:build unix

package apptest

import (
	"math"
	"testing"
	"time"

	"conch/app/api"
)

// AwaitMetrics waits until the metrics of the last minute have a request to add_sub.
func AwaitMetrics(t *testing.T, w *Window) {
	deadline := time.Now().Add(15 * time.Second)
	for {
		out := Call(t, w.Metrics.Query, &api.QueryRequest{Model: "add_sub", From: time.Now().Add(-time.Minute).UnixMilli(), MaxPoints: 120})
		var requests float64
		for i, rate := range out.RequestsPerSecond {
			if rate > 0 && !math.IsNaN(out.P99Ms[i]) && out.MemoryBytes[i] > 0 {
				requests += rate
			}
		}
		if requests > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no request is seen in %v", out.RequestsPerSecond)
		}
		w.Until(t, "the engine is known", func(s *Snapshot) bool { return s.Engine != nil })
	}
}

package request_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"conch/engine/kserve"
	"conch/engine/kserve/request"
	"conch/engine/kserve/tracing"
)

// Where a server traces every request, it traces no trial, so that the file of traces holds those of clients.
func TestTrialsAreNotSampled(t *testing.T) {
	setting := tracing.Defaults
	setting.File, setting.Level, setting.Rate = filepath.Join(t.TempDir(), "trace.json"), tracing.Timestamps, 1
	tracer := tracing.New(setting, slog.New(slog.DiscardHandler), func(string) bool { return true })
	for _, trial := range []bool{true, false} {
		a := request.New(request.GRPC, "m", 1, &kserve.Options{}, nil)
		a.Trial = trial
		a.Sample(tracer, time.Now(), nil)
		if sampled := a.Sampled != nil; sampled == trial {
			t.Errorf("a trial %v is sampled: %v", trial, sampled)
		}
		a.Sampled.Done()
	}
}

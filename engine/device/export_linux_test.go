package device

import (
	"context"
	"log/slog"
	"time"
)

// WatchMachine watches go-nvml's mock of a machine with eight A100s.
func WatchMachine(ctx context.Context) *Watcher {
	_, library := machine()
	return watch(ctx, library, time.Minute, slog.New(slog.DiscardHandler))
}

package engine

import (
	"context"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/device"
	"conch/engine/metrics/own"
)

// server controls models for models.
type server struct{ e *Engine }

var _ backend.Server = server{}

// LoadModel loads a model as a client's request does.
func (s server) LoadModel(ctx context.Context, name, config string, files map[string][]byte) error {
	return s.e.manager.Load(ctx, name, control.Request{Override: config, Files: files})
}

// UnloadModel unloads a model.
func (s server) UnloadModel(name string, dependents bool) error {
	return s.e.manager.Unload(name, dependents)
}

// ModelReady reports whether a version is ready.
func (s server) ModelReady(ctx context.Context, name string, version int64) bool {
	ready, err := s.e.ModelReady(ctx, name, version)
	return ready && err == nil
}

// OwnMetrics returns the metrics that models define themselves.
func (e *Engine) OwnMetrics() []own.Reading { return e.own.Snapshot() }

// Devices returns what is known of the GPUs of the machine.
func (e *Engine) Devices() device.Snapshot {
	if e.o.Devices == nil {
		return device.Snapshot{}
	}
	return e.o.Devices()
}

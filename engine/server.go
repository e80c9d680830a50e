package engine

import (
	"context"
	"slices"

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

// gpuLabel returns the UUID of a GPU for the series of an instance that is made now; "" for none. Triton knows the GPUs only when it
// has loaded the models of the start (docs/triton/metrics.md, "Labels").
func (e *Engine) gpuLabel(gpu int) string {
	if !e.o.GPULabels || !e.hasStarted() {
		return ""
	}
	known := e.Devices()
	name := backend.Device{GPU: true, ID: gpu}.String()
	i := slices.IndexFunc(known.GPUs, func(g device.GPU) bool {
		return g.Device == name || slices.ContainsFunc(g.Instances, func(one device.Instance) bool { return one.Device == name })
	})
	if i < 0 || known.Trouble != "" {
		return ""
	}
	return known.GPUs[i].UUID
}

func (e *Engine) hasStarted() bool {
	select {
	case <-e.started:
		return true
	default:
		return false
	}
}

// Devices returns what is known of the GPUs of the machine.
func (e *Engine) Devices() device.Snapshot {
	if e.o.Devices == nil {
		return device.Snapshot{}
	}
	return e.o.Devices()
}

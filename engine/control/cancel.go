package control

import (
	"context"
	"errors"

	"conch/engine/infer"
)

// errUnloaded ends a load because an unload of the same model has come.
var errUnloaded = errors.New("an unload came before it was done")

// loading gives the context of a model's load, which an unload ends. done is called when the load is over.
func (m *Manager) loading(parent context.Context, key string) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loads[key] = cancel
	return ctx, func() {
		m.mu.Lock()
		delete(m.loads, key) // names are locked while their models load: it is this one
		m.mu.Unlock()
		cancel(nil)
	}
}

// cancelLoad ends the load of a model that is under way, if there is one.
func (m *Manager) cancelLoad(key string) {
	m.mu.Lock()
	cancel := m.loads[key]
	m.mu.Unlock()
	if cancel != nil {
		cancel(errUnloaded)
	}
}

// cancelled is how a load ends whose context has.
func (m *Manager) cancelled(ctx context.Context, key string) error {
	if m.life.Err() != nil {
		return infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled: %v", key, context.Cause(ctx))
}

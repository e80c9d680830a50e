package control

import (
	"context"

	"conch/engine/infer"
)

// StopLoad ends the loads of a model that are under way or wait for their turn, and returns when they have ended. What
// serves goes on. The files that were being loaded count as looked at: they are loaded when they change again, or when
// somebody asks.
func (m *Manager) StopLoad(ctx context.Context, name string) error {
	m.mu.Lock()
	var stopped []*ticket
	for _, key := range m.names.called(name) {
		for _, t := range m.tickets[key] {
			if t.order.action == loadModel && t.ctx.Err() == nil && !t.settled {
				t.end(byStop)
				t.run.release(t, nil)
				stopped = append(stopped, t)
			}
		}
	}
	m.mu.Unlock()
	if len(stopped) == 0 {
		return infer.Errorf(infer.InvalidArg, "model '%s' is not being loaded", name)
	}
	for _, t := range stopped {
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// noteStopped has the files of a stopped load wait until somebody asks for them. m.mu is held.
func (op *operation) noteStopped(n *node, e *entry) {
	disk := op.onDisk(n)
	e.changed = len(e.serving) > 0 && disk != e.disk
	e.disk, e.stoodDown = disk, false
	if len(e.serving) == 0 && e.failed == nil {
		e.wanted, e.explicit = false, false // as after an unload
	}
}

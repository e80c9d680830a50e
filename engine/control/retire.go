package control

import (
	"runtime/debug"

	"conch/engine/model"
)

// retirement is the way out of versions that serve no more: after those that may still send them requests.
type retirement struct {
	name     string
	versions []*model.Version
	after    []<-chan struct{} // drains of the ensembles made of it
	gone     bool              // nothing took its place
}

// retire drains and frees in the background. The channel is closed at the end.
func (m *Manager) retire(r retirement) <-chan struct{} {
	done := make(chan struct{})
	m.work.Go(func() {
		defer close(done)
		for _, before := range r.after {
			<-before
		}
		if r.gone {
			m.forget(r.name)
		}
		for _, v := range r.versions {
			m.close(v)
			m.retired(r.name, v)
		}
		if r.gone && m.life.Err() == nil {
			m.trim()
		}
	})
	return done
}

// close drains a version and frees it.
func (m *Manager) close(v *model.Version) {
	defer m.letGo(v.Dir())
	if m.o.LeaveMemory && m.life.Err() != nil {
		v.Drain()
		return
	}
	if err := v.Close(); err != nil {
		m.log.Warn("freeing a model", "model", v.Name, "version", v.Number, "error", err)
	}
}

// trim gives memory back to the system, because people look at it right after an unload. Many unloads at a
// time share one trim.
func (m *Manager) trim() {
	if m.trims.Add(1) > 1 {
		return // the one at work does it once more
	}
	for wanted := int64(1); ; wanted = m.trims.Load() {
		debug.FreeOSMemory()
		if m.trims.CompareAndSwap(wanted, 0) {
			return
		}
	}
}

// forget takes a model from the steps' sight, unless it serves again.
func (m *Manager) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[name]; e == nil || len(e.serving) == 0 {
		m.stepRoutes.Delete(name)
	}
}

// retired notes that a version is gone, if its number does not serve again.
func (m *Manager) retired(name string, v *model.Version) {
	m.mu.Lock()
	if !v.Replaced() {
		v.Counters().Rest()
		m.o.Ledger.Close(v.Name, v.Number, v.Counters())
	}
	e := m.entries[name]
	if now := e.serving[v.Number]; now != nil {
		now.version.Counters().Settle()
	} else if s := e.status[v.Number]; s != nil && s.State == model.Unloading {
		e.set(v.Number, Status{State: model.Unavailable, Reason: model.Unloaded})
	}
	m.mu.Unlock()
	m.hub.changed(name)
}

// takeOut stops a model from serving and gives its versions to retire.
func (m *Manager) takeOut(name string) []*model.Version {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[name]
	if e == nil {
		return nil
	}
	out := e.versions()
	for _, v := range out {
		e.set(v.Number, Status{State: model.Unloading})
	}
	clear(e.serving)
	m.publish(e)
	return out
}

// retireAll takes everything out, ensembles before what they are made of, and waits until it has drained.
func (m *Manager) retireAll() {
	m.mu.Lock()
	parts := map[string][]string{}
	for name, e := range m.entries {
		parts[name] = m.partKeys(name, e.parts)
	}
	m.mu.Unlock()
	drains := newDrains(parts)
	for _, name := range dependentsFirst(parts) {
		if out := m.takeOut(name); len(out) > 0 {
			drains.add(name, m.retire(retirement{name: name, versions: out, after: drains.of(name), gone: true}))
		}
	}
	for _, drained := range drains.under {
		<-drained
	}
}

// drains are the models that are on their way out together.
type drains struct {
	users map[string][]string // by model: the ensembles made of it
	under map[string]<-chan struct{}
}

func newDrains(parts map[string][]string) *drains {
	d := &drains{users: map[string][]string{}, under: map[string]<-chan struct{}{}}
	for ensemble, list := range parts {
		for _, part := range list {
			d.users[part] = append(d.users[part], ensemble)
		}
	}
	return d
}

func (d *drains) add(name string, drained <-chan struct{}) { d.under[name] = drained }

// of are the drains of the ensembles that a model is a part of.
func (d *drains) of(name string) (after []<-chan struct{}) {
	for _, ensemble := range d.users[name] {
		if drained := d.under[ensemble]; drained != nil {
			after = append(after, drained)
		}
	}
	return after
}

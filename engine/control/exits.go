package control

import (
	"runtime/debug"
	"slices"
	"sync/atomic"

	"conch/engine/model"
)

// exits drains and frees versions in the background.
type exits struct {
	*core
	files *clientFiles
	trims atomic.Int64 // requested and not done
}

// retirement drains and frees versions that no longer serve. It comes after the retirement of the
// ensembles that may still send them requests.
type retirement struct {
	name     string
	versions []*model.Version
	after    []<-chan struct{} // drains of the ensembles made of it
	gone     bool              // no new version replaced it
}

// retire drains and frees in the background. The channel is closed at the end.
func (x *exits) retire(r retirement) <-chan struct{} {
	done := make(chan struct{})
	x.leave(r)
	x.work.Go(func() {
		defer close(done)
		for _, before := range r.after {
			<-before
		}
		if r.gone {
			x.forget(r.name)
		}
		for _, v := range r.versions {
			x.close(v)
			x.retired(r.name, v)
		}
		if r.gone && x.life.Err() == nil {
			x.trim()
		}
	})
	return done
}

// leave records which versions drain, so that a person finds a request that hangs in one of them.
func (x *exits) leave(r retirement) {
	s := x.state.Lock()
	defer x.state.Unlock()
	s.leaving[r.name] = append(s.leaving[r.name], r.versions...)
}

// close drains a version and frees it.
func (x *exits) close(v *model.Version) {
	defer x.files.letGo(v.Dir())
	if x.o.LeaveMemory && x.life.Err() != nil {
		v.Drain()
		return
	}
	if err := v.Close(); err != nil {
		x.log.Warn("a model was unloaded, but not everything of it was freed", "model", v.Name, "version", v.Number, "error", err)
	}
}

// trim returns memory to the system, because people look at the memory right after an unload. Many unloads
// at a time share one trim.
func (x *exits) trim() {
	if x.trims.Add(1) > 1 {
		return // the running trim repeats it
	}
	for wanted := int64(1); ; wanted = x.trims.Load() {
		debug.FreeOSMemory()
		if x.trims.CompareAndSwap(wanted, 0) {
			return
		}
	}
}

// forget removes a model from the steps' routes, unless it serves again.
func (x *exits) forget(name string) {
	s := x.state.Lock()
	defer x.state.Unlock()
	if !s.models.serves(name) {
		x.routes.forget(name)
	}
}

// retired records that a version is freed, unless its number serves again.
func (x *exits) retired(name string, v *model.Version) {
	s := x.state.Lock()
	if !v.Replaced() {
		v.Counters().Rest()
		x.o.Ledger.Close(v.Name, v.Number, v.Counters())
	}
	if s.leaving[name] = slices.DeleteFunc(s.leaving[name], func(other *model.Version) bool { return other == v }); len(s.leaving[name]) == 0 {
		delete(s.leaving, name)
	}
	e := s.models.entries[name]
	if now := e.serving[v.Number]; now != nil {
		now.version.Counters().Settle()
	} else if status := e.status[v.Number]; status != nil && status.State == model.Unloading {
		e.set(v.Number, Status{State: model.Unavailable, Reason: model.Unloaded})
	}
	x.state.Unlock()
	x.hub.changed(name)
}

// takeOut stops a model from serving and returns its versions for retire.
func (x *exits) takeOut(name string) []*model.Version {
	s := x.state.Lock()
	defer x.state.Unlock()
	e := s.models.entries[name]
	if e == nil {
		return nil
	}
	out := e.versions()
	for _, v := range out {
		e.set(v.Number, Status{State: model.Unloading})
	}
	clear(e.serving)
	x.routes.publish(e)
	return out
}

// retireAll takes all models out of service, ensembles before their models, and waits until they have
// drained.
func (x *exits) retireAll() {
	parts := x.parts()
	drains := newDrains(parts)
	for _, name := range dependentsFirst(parts) {
		if out := x.takeOut(name); len(out) > 0 {
			drains.add(name, x.retire(retirement{name: name, versions: out, after: drains.of(name), gone: true}))
		}
	}
	for _, drained := range drains.under {
		<-drained
	}
}

// parts returns the models that every model is made of.
func (x *exits) parts() map[string][]string {
	s := x.state.Lock()
	defer x.state.Unlock()
	parts := map[string][]string{}
	for name := range s.models.entries {
		parts[name] = s.partsOf(name)
	}
	return parts
}

// drains are the drains of models that are unloaded together.
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

// of returns the drains of the ensembles that a model is a part of.
func (d *drains) of(name string) (after []<-chan struct{}) {
	for _, ensemble := range d.users[name] {
		if drained := d.under[ensemble]; drained != nil {
			after = append(after, drained)
		}
	}
	return after
}

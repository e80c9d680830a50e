package control

import (
	"context"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/sched"
)

// route is what a model's requests are sent to. It is never changed, only replaced.
type route struct {
	versions []*model.Version // ascending, at least one
}

var (
	_ infer.Handler  = (*Manager)(nil)
	_ sched.Resolver = (*steps)(nil)
)

func (r *route) pick(version int64) *model.Version {
	if version == infer.Latest {
		return r.versions[len(r.versions)-1]
	}
	for _, v := range r.versions {
		if v.Number == version {
			return v
		}
	}
	return nil
}

// Infer sends a request to the version it names.
func (m *Manager) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	t, err := m.Enter(r.Model, r.Version)
	if err != nil {
		return err
	}
	defer t.Leave()
	return t.Infer(ctx, r, sink)
}

// Enter finds a version and keeps it from being closed until Leave.
func (m *Manager) Enter(name string, version int64) (infer.Target, error) {
	return enter(m.Version, name, version)
}

// enter enters the version that find finds. One that drains has been replaced in the routes before, so looking again finds
// what took its place.
func enter(find func(name string, version int64) (*model.Version, error), name string, version int64) (infer.Target, error) {
	for {
		v, err := find(name, version)
		if err != nil {
			return infer.Target{}, err
		}
		if v.Enter() {
			return infer.Target{Config: v.Config, Version: v}, nil
		}
	}
}

// Version finds a version that serves; infer.Latest is the highest. The errors are Triton's
// (docs/triton/requests.md, "Which version answers").
func (m *Manager) Version(name string, version int64) (*model.Version, error) {
	v, _, err := m.Look(name, version)
	return v, err
}

// Look finds a version that serves, and all versions that serve at the same moment, ascending.
func (m *Manager) Look(name string, version int64) (*model.Version, []*model.Version, error) {
	key, err := m.resolve(name)
	if err != nil {
		return nil, nil, err
	}
	if found, ok := m.routes.Load(key); ok {
		r := found.(*route)
		if v := r.pick(version); v != nil {
			return v, r.versions, nil
		}
	}
	return nil, nil, m.notServing(key, version)
}

// Versions are all versions of a model that serve, ascending.
func (m *Manager) Versions(name string) []*model.Version {
	key, err := m.resolve(name)
	if err != nil {
		return nil
	}
	found, ok := m.routes.Load(key)
	if !ok {
		return nil
	}
	return found.(*route).versions
}

func (m *Manager) notServing(key string, version int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, name := m.entries[key], m.names.identity(key).name
	switch {
	case (e == nil || e.failed == nil) && (!m.started || m.restoring):
		return starting(name)
	case e == nil || !e.known:
		return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' is not found", name)
	case version == infer.Latest:
		return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' has no available versions", name)
	case e.status[version] == nil:
		return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' version %d is not found", name, version)
	}
	return infer.Errorf(infer.Unavailable, "Request for unknown model: '%s' version %d is not at ready state", name, version)
}

// steps is the Manager as ensembles see it: a model that is being unloaded stays for those
// requests that are on their way through an ensemble already.
type steps struct {
	*Manager
	namespace string // of the ensembles
}

// Steps is what a loader's Resolver is to be.
func (m *Manager) Steps() sched.Resolver { return &steps{m, ""} }

func (s *steps) find(name string, version int64) (*model.Version, error) {
	key := s.key(name)
	if found, ok := s.stepRoutes.Load(key); ok {
		if v := found.(*route).pick(version); v != nil {
			return v, nil
		}
	}
	return nil, s.notServing(key, version)
}

func (s *steps) key(name string) string {
	if !s.names.namespacing {
		return name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.partKey(s.namespace, name)
}

// Enter finds the version that a step's requests go to, and keeps it from being closed until Leave.
func (s *steps) Enter(name string, version int64) (infer.Target, error) {
	return enter(s.find, name, version)
}

// Config is the completed config of a version.
func (s *steps) Config(name string, version int64) (*modelconfig.ModelConfig, error) {
	v, err := s.find(name, version)
	if err != nil {
		return nil, err
	}
	return v.Config, nil
}

// publish makes the routes follow what serves. What steps see of a model that serves no more is taken away
// when it retires. m.mu is held.
func (m *Manager) publish(e *entry) {
	if len(e.serving) == 0 {
		m.routes.Delete(e.name)
		return
	}
	r := &route{versions: e.versions()}
	m.routes.Store(e.name, r)
	m.stepRoutes.Store(e.name, r)
}

// starting is the answer for a model that is not known before the start is over: whoever hears it tries again.
func starting(name string) error {
	return infer.Errorf(infer.Unavailable, "Request for unknown model: '%s' is not found: the server is still loading its models, try again", name)
}

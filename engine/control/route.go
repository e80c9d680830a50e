package control

import (
	"context"
	"sync"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/sched"
)

// routes map the models' keys to the serving versions. Requests read them without a lock. They are
// written with state locked, so that they follow the serving versions.
type routes struct {
	clients sync.Map // of *route
	// steps are the routes for the steps of ensembles. A model stays in them until its ensembles
	// have drained.
	steps sync.Map
}

// route holds the versions for a model's requests. It is never changed, only replaced.
type route struct {
	versions []*model.Version // ascending, at least one
}

// publish updates the routes of a model. It does not remove a model from the steps' routes; forget
// does.
func (r *routes) publish(e *entry) {
	if len(e.serving) == 0 {
		r.clients.Delete(e.name)
		return
	}
	now := &route{versions: e.versions()}
	r.clients.Store(e.name, now)
	r.steps.Store(e.name, now)
}

// forget removes a model from the steps' routes.
func (r *routes) forget(key string) { r.steps.Delete(key) }

// to returns the route to a model; nil when there is none.
func to(table *sync.Map, key string) *route {
	found, ok := table.Load(key)
	if !ok {
		return nil
	}
	return found.(*route)
}

// versions returns all serving versions of a model, ascending.
func (r *routes) versions(key string) []*model.Version {
	if route := to(&r.clients, key); route != nil {
		return route.versions
	}
	return nil
}

// Router sends requests to the versions that serve.
type Router struct{ *core }

var (
	_ infer.Handler  = (*Router)(nil)
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

// Infer sends a request to its version.
func (r *Router) Infer(ctx context.Context, request *infer.Request, sink infer.Sink) error {
	t, err := r.Enter(request.Model, request.Version)
	if err != nil {
		return err
	}
	defer t.Leave()
	return t.Infer(ctx, request, sink)
}

// Enter returns a version and keeps it open until Leave.
func (r *Router) Enter(name string, version int64) (infer.Target, error) {
	return enter(r.Version, name, version)
}

// finder finds a serving version.
type finder func(name string, version int64) (*model.Version, error)

// enter enters the version that find returns. A draining version was already replaced in the routes,
// so a second look finds the new one.
func enter(find finder, name string, version int64) (infer.Target, error) {
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

// Version returns a serving version; infer.Latest is the highest. The errors are Triton's
// (docs/triton/requests.md, "Which version answers").
func (r *Router) Version(name string, version int64) (*model.Version, error) {
	v, _, err := r.Look(name, version)
	return v, err
}

// Look returns a serving version, and all versions that serve at the same moment, ascending.
func (r *Router) Look(name string, version int64) (*model.Version, []*model.Version, error) {
	key, err := r.resolve(name)
	if err != nil {
		return nil, nil, err
	}
	if route := to(&r.routes.clients, key); route != nil {
		if v := route.pick(version); v != nil {
			return v, route.versions, nil
		}
	}
	return nil, nil, r.notServing(key, version)
}

// Versions returns all serving versions of a model, ascending.
func (r *Router) Versions(name string) []*model.Version {
	key, err := r.resolve(name)
	if err != nil {
		return nil
	}
	return r.routes.versions(key)
}

// Leaving returns the versions of a model that no longer serve and still have requests inside, oldest first.
func (r *Router) Leaving(name string) []*model.Version {
	s := r.state.Lock()
	defer r.state.Unlock()
	var out []*model.Version
	for _, key := range r.names.called(name) {
		out = append(out, s.leaving[key]...)
	}
	return out
}

// Config returns the completed config of a model's highest serving version.
func (r *Router) Config(name string) (*modelconfig.ModelConfig, error) {
	v, err := r.Version(name, infer.Latest)
	if err != nil {
		return nil, err
	}
	return v.Config, nil
}

// resolve returns the key of the model that a client means.
func (r *Router) resolve(name string) (string, error) {
	if !r.names.namespacing {
		return name, nil
	}
	s := r.state.Lock()
	defer r.state.Unlock()
	switch keys := s.inUse(name); len(keys) {
	case 0:
		if !s.settled() {
			return "", starting(name)
		}
		return "", infer.Errorf(infer.InvalidArg, "Request for unknown model: '%s' is not found", name)
	case 1:
		return keys[0], nil
	default:
		return "", infer.Errorf(infer.InvalidArg, "There are %d identifiers of model '%s' in global map, "+
			"model namespace must be provided to resolve ambiguity.", len(keys), name)
	}
}

// notServing returns why no version answers.
func (r *Router) notServing(key string, version int64) error {
	s := r.state.Lock()
	defer r.state.Unlock()
	e, name := s.models.entries[key], r.names.identity(key).name
	switch {
	case (e == nil || e.failed == nil) && !s.settled():
		return starting(name)
	case e == nil || !e.known:
		return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' is not found", name)
	case version == infer.Latest:
		return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' has no available versions", name)
	case e.status[version] == nil:
		return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' version %d is not found", name, version)
	}
	return infer.Errorf(infer.Unavailable, "Request for unknown model: '%s' version %d is not at ready state",
		name, version)
}

// steps sends the requests of ensembles' steps. A model that is being unloaded stays for the
// running requests of ensembles.
type steps struct {
	*Router
	namespace string // of the ensembles
}

// in returns the routes for the steps of the ensembles in a namespace.
func (r *Router) in(namespace string) *steps { return &steps{r, namespace} }

func (s *steps) find(name string, version int64) (*model.Version, error) {
	key := s.key(name)
	if route := to(&s.routes.steps, key); route != nil {
		if v := route.pick(version); v != nil {
			return v, nil
		}
	}
	return nil, s.notServing(key, version)
}

func (s *steps) key(name string) string {
	if !s.names.namespacing {
		return name
	}
	state := s.state.Lock()
	defer s.state.Unlock()
	return state.partKey(s.namespace, name)
}

// Enter returns the version for a step's requests, and keeps it open until Leave.
func (s *steps) Enter(name string, version int64) (infer.Target, error) {
	return enter(s.find, name, version)
}

// Config returns the completed config of a version.
func (s *steps) Config(name string, version int64) (*modelconfig.ModelConfig, error) {
	v, err := s.find(name, version)
	if err != nil {
		return nil, err
	}
	return v.Config, nil
}

// starting returns the error for an unknown model before the start is over. The client should try again.
func starting(name string) error {
	return infer.Errorf(infer.Unavailable, "Request for unknown model: '%s' is not found: "+
		"the server is still loading its models, try again", name)
}

package model

import (
	"cmp"
	"context"

	"conch/engine/backend"
	"conch/engine/hostpolicy"
	"conch/engine/placement"
)

// firstPolicy returns what the first instance of a plan is bound to.
func (l *Loader) firstPolicy(plan placement.Plan) (hostpolicy.Policy, error) {
	for in := range plan.All() {
		return l.HostPolicies.Policy(in.HostPolicy())
	}
	return hostpolicy.Policy{}, nil
}

// loadBound loads a version on a thread that is bound as its first instance: its memory and its threads belong there.
func loadBound(ctx context.Context, framework backend.Backend, spec backend.Spec) (loaded backend.Model, err error) {
	bound := spec.Policy.Do(func() { loaded, err = framework.Load(ctx, spec) })
	return loaded, cmp.Or(bound, err)
}

// makeBound makes an instance on a thread that is bound as it is.
func makeBound(ctx context.Context, loaded backend.Model, spec backend.InstanceSpec) (made backend.Instance, err error) {
	bound := spec.Policy.Do(func() { made, err = loaded.NewInstance(ctx, spec) })
	return made, cmp.Or(bound, err)
}

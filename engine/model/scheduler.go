package model

import (
	"slices"

	"conch/engine/infer"
	"conch/engine/sched"
)

// schedule makes the scheduler that the config asks for, over the instances that get requests.
func (v *Version) schedule() {
	for _, in := range v.instances {
		if !in.passive {
			v.active++
		}
	}
	v.base = v.newScheduler()
	v.scheduler = v.base
	v.scheduled = slices.Clone(v.instances)
	for _, in := range v.scheduled {
		if s, ok := v.base.(sched.Pauser); ok && in.revival != nil {
			in.revival.serve(s)
		}
	}
}

func (v *Version) newScheduler() infer.Handler {
	executors := make([]sched.Executor, 0, len(v.instances))
	for _, in := range v.instances {
		if !in.passive {
			executors = append(executors, in)
		}
	}
	switch {
	case v.Config.GetSequenceBatching() != nil:
		for i := range executors {
			executors[i] = sched.InTurn(executors[i])
		}
		rules := sequencingOf(v.Config)
		rules.Timers = v.timers
		return sched.NewSequence(executors, rules, v.sequence, v.counters)
	case v.Config.GetDynamicBatching() != nil:
		rules := batchingOf(v.Config)
		rules.Timers = v.timers
		return sched.NewDynamic(executors, rules, v.counters)
	case slices.ContainsFunc(v.instances, func(in *instance) bool { return in.license != nil }):
		return sched.NewDynamic(executors, sched.Batching{}, v.counters) // one at a time, first come, first served
	}
	return sched.NewDirect(executors, v.counters)
}

// register makes an instance of a group known to the rate limiter. Passive ones never run, and who needs nothing waits
// for nothing.
func (v *Version) register(p place) (*sched.License, error) {
	g := p.group
	resources := g.GetRateLimiter().GetResources()
	if v.limiter == nil || g.Passive || len(resources) == 0 {
		return nil, nil
	}
	d := sched.Demand{Priority: g.RateLimiter.Priority, Device: p.at.ID}
	for _, r := range resources {
		d.Resources = append(d.Resources, sched.Resource{Name: r.Name, Count: int64(r.Count), Global: r.Global})
	}
	return v.limiter.Register(d)
}

package model

import (
	"context"
	"fmt"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/hostpolicy"
	"conch/engine/metrics"
	"conch/engine/placement"
	"conch/engine/sched"
)

// making makes the instances of a version, puts them into its pool and warms them up.
type making struct {
	pool     *pool
	spec     backend.Spec
	counters *metrics.Counters
	warmup   *warmup
	plan     placement.Plan
	machine  func() placement.Machine // as it is now
	label    func(gpu int) string     // in the metrics; nil without
	limits   placement.Limits
	policies hostpolicy.Settings
	models   models         // runs the requests that instances make to other models
	limiter  *sched.Limiter // nil without
	changed  func()         // is called when pool.trouble changes
	room     watch
	made     int // instances, borrowed ones too
	told     *progress
}

func (l *Loader) newMaking(v *Version, phase func(string)) *making {
	return &making{
		pool: v.pool, spec: v.spec(), counters: v.counters, warmup: v.warmup(), plan: v.plan, limits: l.GPULimits, policies: l.HostPolicies, models: models{l.Models, &l.Calls, v.called}, limiter: l.Limiter,
		changed: func() { l.tellChanged(v) }, machine: func() placement.Machine { return l.machine(true) },
		label: l.GPULabel, room: watch{room: l.Room, last: time.Now()}, told: &progress{tell: phase},
	}
}

// all makes the instances of every group, one after the other, because they share what is expensive. It borrows those
// that fit from the pool before.
func (m *making) all(ctx context.Context) error {
	if err := m.room.room.forInstances(m.spec.Name, m.wanted()); err != nil {
		return err
	}
	m.told.now("creating instance 1 of %d", m.wanted())
	for p := range m.plan.All() {
		if err := m.one(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the number of instances that the config asks for.
func (m *making) wanted() int64 { return m.plan.Count() }

// one borrows an instance, or makes it and warms it up.
func (m *making) one(ctx context.Context, p placement.Instance) error {
	m.made++
	if m.pool.borrow(p) {
		return nil
	}
	if err := stillWanted(ctx, m.spec.Name); err != nil {
		return err
	}
	if err := m.room.more(m.spec.Name); err != nil {
		return err
	}
	m.told.step("creating instance %d of %d", m.made, m.wanted())
	in, err := m.instance(ctx, p)
	if err != nil {
		return err
	}
	m.pool.add(in)
	if err := m.limits.Refuse(p.Name, p.Device, m.machine); err != nil {
		return err
	}
	if in.passive {
		return nil
	}
	if err := m.warmup.run(ctx, in, m.told); err != nil {
		return err
	}
	in.revival.watch()
	return nil
}

// instance makes an instance.
func (m *making) instance(ctx context.Context, p placement.Instance) (*instance, error) {
	loaded := m.pool.loaded()
	policy, err := m.policies.Policy(p.HostPolicy())
	if err != nil {
		return nil, err
	}
	license, err := m.register(p)
	if err != nil {
		return nil, err
	}
	remake := func(ctx context.Context) (backend.Instance, error) {
		return makeBound(ctx, loaded, backend.InstanceSpec{Name: p.Name, Kind: p.Kind, Device: p.Device.ID, Policy: policy})
	}
	b, err := remake(ctx)
	if err != nil {
		if license != nil {
			license.Close()
		}
		return nil, err
	}
	in := newInstance(p.Label, b, m.counters)
	in.model, in.license, in.log, in.policy = m.spec.Name, license, m.spec.Log, policy
	in.models, in.graph = m.models, m.models.graph
	if c, ok := b.(backend.Caller); ok {
		c.Calls(in.models)
		in.calling = true
	}
	in.decoupled = m.spec.Config.GetModelTransactionPolicy().GetDecoupled()
	in.sequences = m.spec.Config.GetSequenceBatching() != nil
	if m.spec.Config.GetSequenceBatching().GetIterativeSequence() {
		in.again = true
	}
	in.passive, in.signature, in.at = p.Group.Passive, signature(p.Group), p.Device
	if p.Kind == modelconfig.ModelInstanceGroup_KIND_GPU && m.label != nil {
		in.gpu = m.label(p.Device.ID)
		m.counters.On(in.gpu) // its series begin at 0, before the first request
	}
	if _, mortal := b.(backend.Mortal); mortal {
		in.revival = &revival{
			in: in, remake: remake, changed: m.changed,
			warm: func(ctx context.Context) error { return m.warmup.run(ctx, in, &progress{tell: func(string) {}}) },
		}
	}
	return in, nil
}

// register registers an instance with the rate limiter. Passive instances never run, and an instance that needs no
// resources never waits for them.
func (m *making) register(p placement.Instance) (*sched.License, error) {
	g := p.Group
	resources := g.GetRateLimiter().GetResources()
	if m.limiter == nil || g.Passive || len(resources) == 0 {
		return nil, nil
	}
	d := sched.Demand{Priority: g.RateLimiter.Priority, Device: p.Device.ID}
	for _, r := range resources {
		d.Resources = append(d.Resources, sched.Resource{Name: r.Name, Count: int64(r.Count), Global: r.Global})
	}
	return m.limiter.Register(d)
}

// progressEvery limits how often people hear of a load's progress: not for each of a thousand instances.
const progressEvery = 200 * time.Millisecond

// progress tells people what a load does.
type progress struct {
	tell func(string)
	last time.Time
}

// now tells what begins.
func (p *progress) now(format string, args ...any) {
	p.last = time.Now()
	p.tell(fmt.Sprintf(format, args...))
}

// step tells the current step, if the last word was a while ago.
func (p *progress) step(format string, args ...any) {
	if time.Since(p.last) >= progressEvery {
		p.now(format, args...)
	}
}

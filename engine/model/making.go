package model

import (
	"context"
	"fmt"
	"iter"
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
	died     func(why string)
	revived  func()
	room     watch
	made     int // instances, borrowed ones too
	told     *progress
}

func (l *Loader) newMaking(v *Version, phase func(string)) *making {
	return &making{
		pool: v.pool, spec: v.spec(), counters: v.counters, warmup: v.warmup(), plan: v.plan, limits: l.GPULimits, policies: l.HostPolicies, models: models{l.Models, &l.Calls, v.called}, limiter: l.Limiter,
		changed: func() { l.tellChanged(v) }, died: func(why string) { l.tellDied(v, why) }, revived: func() { l.tellRevived(v) }, machine: func() placement.Machine { return l.machine(true) },
		label: l.GPULabel, room: watch{room: l.Room, last: time.Now()}, told: &progress{tell: phase},
	}
}

// all makes the instances of every group in their order: one after the other, because they share what is expensive, or several at a time
// where the backend says so. It borrows those that fit from the pool before. After an error none is being made.
func (m *making) all(ctx context.Context) error {
	if err := m.room.room.forInstances(m.spec.Name, m.wanted()); err != nil {
		return err
	}
	m.told.now("creating instance 1 of %d", m.wanted())
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	next, stop := iter.Pull(m.plan.All())
	defer stop()
	var begun []*beginning
	for {
		for len(begun) < m.parallel() {
			p, more := next()
			if !more {
				break
			}
			begun = append(begun, m.begin(ctx, p))
		}
		if len(begun) == 0 {
			return nil
		}
		if err := m.finish(ctx, begun[0]); err != nil {
			giveUp()
			for _, b := range begun[1:] {
				b.drop()
			}
			return err
		}
		begun = begun[1:]
	}
}

// parallel returns how many instances are made at a time. Where the memory of GPUs is limited, the limit is looked at after each one.
func (m *making) parallel() int {
	if p, ok := m.pool.loaded().(backend.Parallel); ok && len(m.limits) == 0 {
		return max(p.Parallel(), 1)
	}
	return 1
}

// wanted returns the number of instances that the config asks for.
func (m *making) wanted() int64 { return m.plan.Count() }

// finish waits for an instance, and warms it up.
func (m *making) finish(ctx context.Context, b *beginning) error {
	<-b.done
	if b.err != nil || b.made == nil {
		return b.err
	}
	in := m.instance(b)
	m.pool.add(in)
	if err := m.limits.Refuse(b.at.Name, b.at.Device, m.machine); err != nil {
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

// instance returns the instance that was made.
func (m *making) instance(b *beginning) *instance {
	p := b.at
	in := newInstance(p.Label, b.made, m.counters)
	in.model, in.license, in.log, in.policy = m.spec.Name, b.license, m.spec.Log, b.policy
	in.models, in.graph = m.models, m.models.graph
	if c, ok := b.made.(backend.Caller); ok {
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
	if _, mortal := b.made.(backend.Mortal); mortal {
		in.revival = &revival{
			in: in, remake: b.make, changed: m.changed, died: m.died, revived: m.revived,
			warm: func(ctx context.Context) error { return m.warmup.run(ctx, in, &progress{tell: func(string) {}}) },
		}
	}
	return in
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

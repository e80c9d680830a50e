package model

import (
	"context"
	"errors"
	"slices"
	"time"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/sched"
)

// Load makes one version ready to serve: the stages "load" and "instances"
// (docs/triton/validation.md, "Stages"). It calls phase with what it does at the moment, for
// people. After an error nothing is left behind, except by a framework that does not come back
// after ctx has ended. The error is an *infer.Error in Triton's words.
func (l *Loader) Load(ctx context.Context, p *Plan, dir VersionDir, phase func(string)) (*Version, error) {
	return l.orLeave(ctx, p.Source.Name, dir.Number, func() (*Version, error) { return l.load(ctx, p, dir, phase) })
}

func (l *Loader) load(ctx context.Context, p *Plan, dir VersionDir, phase func(string)) (*Version, error) {
	began := time.Now()
	phase("reading the file")
	v := &Version{
		Name: p.Source.Name, Number: dir.Number, Config: startOf(p), files: files{p.Source, l.ExternalPaths}, folder: dir,
		counters: metrics.New(), resolver: l.resolver(p.Source.Namespace), models: l.Models, changed: l.tellChanged, Namespace: p.Source.Namespace, limiter: l.Limiter, timers: l.Timers, gate: newGate(), ended: make(chan struct{}),
	}
	if err := l.build(ctx, v, p, build{dir: dir, phase: phase}); err != nil {
		if undo := v.free(); undo != nil {
			l.Log.Warn("freeing a model that did not load", "model", v.Name, "version", v.Number, "error", undo)
		}
		return nil, err
	}
	l.countFirst(v)
	v.Took = time.Since(began)
	return v, nil
}

// build is what the steps of a load need to know beside the version.
type build struct {
	dir   VersionDir
	phase func(string)
}

func (l *Loader) build(ctx context.Context, v *Version, p *Plan, b build) error {
	if p.Ensemble() {
		return l.buildEnsemble(v, p)
	}
	be := l.Backends[v.Config.Backend]
	if be == nil {
		return infer.Refused(rule.L10, v.Config.Backend)
	}
	v.backend = be
	spec := backend.Spec{
		Name: v.Name, Version: v.Number, ModelDir: p.Source.Dir, VersionDir: b.dir.Dir,
		File: modelFile(v.Config, b.dir), Config: v.Config, Log: l.Log.With("model", v.Name, "version", v.Number),
	}
	if err := l.describe(ctx, v, be, &spec); err != nil {
		return err
	}
	if err := v.prepare(p); err != nil {
		return err
	}
	if err := l.Room.forFiles(spec, be); err != nil {
		return err
	}
	b.phase("creating session")
	loaded, err := be.Load(ctx, spec)
	if err != nil {
		return err
	}
	v.loaded = loaded
	if err := l.makeInstances(ctx, v, spec, b.phase); err != nil {
		return err
	}
	v.schedule()
	l.withCache(v)
	return nil
}

func (l *Loader) buildEnsemble(v *Version, p *Plan) error {
	v.Config.ModelTransactionPolicy.Decoupled = v.hasDecoupledStep()
	if err := v.prepare(p); err != nil {
		return err
	}
	v.ensemble = sched.NewEnsemble(v.Config, v.resolver)
	if n := v.Config.GetEnsembleScheduling().GetMaxInflightRequests(); n > 0 {
		l.Log.Info("the ensemble's steps are limited", "model", v.Name, "version", v.Number, "max_inflight_requests", n)
	}
	v.ensemble.Stuck = func(part string, limit int) {
		l.Log.Error("a step waited for 300 seconds at max_inflight_requests and goes on without room: steps may be waiting for each other's instances",
			"model", v.Name, "version", v.Number, "step", part, "max_inflight_requests", limit)
	}
	v.scheduler = v.ensemble
	l.withCache(v)
	return nil
}

// describe lets a backend complete the config from what it knows of the model.
func (l *Loader) describe(ctx context.Context, v *Version, be backend.Backend, spec *backend.Spec) error {
	completer, ok := be.(backend.Completer)
	if !ok || l.NoAutoComplete {
		return nil
	}
	cfg, err := completer.Complete(ctx, *spec)
	if err != nil {
		return err
	}
	v.Config, spec.Config = cfg, cfg
	return nil
}

// prepare does what Triton does to every completed config: checks it, reads the labels.
func (v *Version) prepare(p *Plan) error {
	if err := refusedAtLoad(v.Config, v.files, v.Number); err != nil {
		return err
	}
	if err := checkStrategy(v.Config); err != nil {
		return err
	}
	if err := checkInstances(v.Config, v.backend); err != nil {
		return err
	}
	labels, err := readLabels(v.Config, p.Source.Dir)
	if err != nil {
		return err
	}
	v.labels, v.contract = labels, newContract(v.Config)
	if v.Config.GetSequenceBatching() == nil {
		return nil
	}
	v.sequence, err = newSequenceWiring(v.Config, v.files)
	return err
}

func active(g *modelconfig.ModelInstanceGroup) bool { return !g.Passive }

// checkInstances refuses a model whose instances are all passive, which would never answer, and devices that its backend
// cannot use.
func checkInstances(cfg *modelconfig.ModelConfig, be backend.Backend) error {
	if len(cfg.InstanceGroup) > 0 && !slices.ContainsFunc(cfg.InstanceGroup, active) {
		return infer.Errorf(infer.Unsupported, "every instance group of model '%s' is passive, so that no request would ever be answered", cfg.Name)
	}
	return checkDevices(cfg, be)
}

// makeInstances makes and warms up the instances of every group, one after the other: they share what is
// expensive. Those that can be taken over are not made anew.
func (l *Loader) makeInstances(ctx context.Context, v *Version, spec backend.Spec, phase func(string)) error {
	if err := l.Room.forInstances(v.Name, v.wantedInstances()); err != nil {
		return err
	}
	m := &making{
		loader: l, version: v, spec: spec, room: watch{room: l.Room, last: time.Now()}, told: &progress{tell: phase},
	}
	m.told.now("creating instance 1 of %d", v.wantedInstances())
	for _, group := range v.Config.InstanceGroup {
		for _, at := range devicesOf(group, v.backend) {
			for i := range int(group.Count) {
				if err := m.one(ctx, place{group, i, at}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// making is the making of a version's instances.
type making struct {
	loader  *Loader
	version *Version
	spec    backend.Spec
	room    watch
	told    *progress
}

// place is where an instance belongs: the one with number i of a group on a device.
type place struct {
	group *modelconfig.ModelInstanceGroup
	i     int
	at    backend.Device
}

// one takes an instance over, or makes it and warms it up.
func (m *making) one(ctx context.Context, p place) error {
	v := m.version
	if in := v.borrow(p); in != nil {
		v.instances = append(v.instances, in)
		return nil
	}
	if err := v.wanted(ctx); err != nil {
		return err
	}
	if err := m.room.more(v.Name); err != nil {
		return err
	}
	m.told.step("creating instance %d of %d", len(v.instances)+1, v.wantedInstances())
	in, err := v.makeInstance(ctx, m.spec, p)
	if err != nil {
		return err
	}
	v.instances = append(v.instances, in)
	if in.passive {
		return nil
	}
	if err := v.warmUp(ctx, in, m.told); err != nil {
		return err
	}
	in.revival.watch()
	return nil
}

// wanted is an error when a load has been given up.
func (v *Version) wanted(ctx context.Context) error {
	if ctx.Err() != nil {
		return infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled", v.Name)
	}
	return nil
}

func (v *Version) makeInstance(ctx context.Context, spec backend.Spec, p place) (*instance, error) {
	loaded := v.loaded
	if v.before != nil {
		loaded = v.before.loaded
	}
	group, name := p.group, instanceName(p)
	license, err := v.register(p)
	if err != nil {
		return nil, err
	}
	renew := func(ctx context.Context) (backend.Instance, error) {
		return loaded.NewInstance(ctx, backend.InstanceSpec{Name: name, Kind: group.Kind, Device: p.at.ID})
	}
	b, err := renew(ctx)
	if err != nil {
		if license != nil {
			license.Close()
		}
		return nil, err
	}
	in := newInstance(name, b, v.counters)
	in.model, in.license = v.Name, license
	in.models = models{v.models}
	if c, ok := b.(backend.Caller); ok {
		c.Calls(in.models)
		in.calling = true
	}
	in.decoupled, in.log = v.Config.GetModelTransactionPolicy().GetDecoupled(), spec.Log
	if v.Config.GetSequenceBatching().GetIterativeSequence() {
		in.batch.OnReschedule(func(i int, state *infer.Response) { in.calls[i].Reschedule(state) })
	}
	in.passive, in.signature, in.at = group.Passive, signature(group), p.at
	if _, mortal := b.(backend.Mortal); mortal {
		in.revival = &revival{
			in: in, remake: renew, changed: func() { v.changed(v) },
			warm: func(ctx context.Context) error { return v.warmUp(ctx, in, &progress{tell: func(string) {}}) },
		}
	}
	return in, nil
}

// stopper is a scheduler that holds something between requests.
type stopper interface{ Stop() }

// free gives back instances and model. Nothing of v runs any more; what the version before still runs on them is
// waited for.
func (v *Version) free() error {
	if v.after != nil {
		<-v.after
	}
	if s, ok := v.base.(stopper); ok {
		s.Stop()
	}
	var errs []error
	for _, in := range v.scheduled {
		if s, ok := v.base.(sched.Pauser); ok && in.revival != nil {
			in.revival.leave(s)
		}
	}
	for _, in := range v.instances {
		if !v.borrowed[in] {
			errs = append(errs, in.close())
		}
	}
	v.instances = nil
	if v.loaded != nil {
		errs = append(errs, v.loaded.Close())
		v.loaded = nil
	}
	return errors.Join(errs...)
}

package model

import (
	"context"
	"slices"
	"time"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/sched"
)

// Load makes one version ready to serve: the stages "load" and "instances" (docs/triton/validation.md, "Stages"). It calls
// phase with what it does at the moment, for people. After an error nothing is left, except in a framework that does not
// return after ctx has ended. The error is an *infer.Error in Triton's words.
func (l *Loader) Load(ctx context.Context, p *Definition, dir VersionDir, phase func(string)) (*Version, error) {
	return l.orLeave(ctx, p.Source.Name, dir.Number, func() (*Version, error) { return l.load(ctx, p, dir, phase) })
}

func (l *Loader) load(ctx context.Context, p *Definition, dir VersionDir, phase func(string)) (*Version, error) {
	began := time.Now()
	phase("reading the file")
	v := &Version{
		Name: p.Source.Name, Number: dir.Number, Namespace: p.Source.Namespace, Config: startOf(p),
		files: files{p.Source, l.ExternalPaths}, folder: dir, log: l.Log.With("model", p.Source.Name, "version", dir.Number),
		steps: l.resolver(p.Source.Namespace), counters: metrics.New(),
	}
	v.called = newCallLog(func() { l.tellChanged(v) })
	v.imports = newImports(func() { l.tellImported(v) })
	v.end.start()
	loading := l.loadFramework
	if p.Ensemble() {
		loading = l.loadEnsemble
	}
	if err := loading(ctx, v, phase); err != nil {
		return nil, l.ofList(err, p)
	}
	if l.FirstResponses {
		v.counters.First = metrics.NewFirstResponse(firstBounds(v.Config))
	}
	v.Took = time.Since(began)
	return v, nil
}

// loadFramework loads a model that a backend runs.
func (l *Loader) loadFramework(ctx context.Context, v *Version, phase func(string)) error {
	framework := l.Backends[v.Config.Backend]
	if framework == nil {
		return infer.Refused(rule.L10, v.Config.Backend)
	}
	v.pool = newPool(framework, nil)
	var err error
	if v.plan, err = l.place(v.Config, framework); err != nil {
		return err
	}
	if err := l.complete(ctx, v, framework, phase); err != nil {
		return err
	}
	if err := v.prepare(); err != nil {
		return err
	}
	spec := v.spec()
	spec.Progress = phase
	spec.Memory, spec.Server, spec.Metrics = l.Memory, l.Server, l.Metrics
	if err := l.Room.forFiles(spec, framework); err != nil {
		return err
	}
	if spec.Policy, err = l.firstPolicy(v.plan); err != nil {
		return err
	}
	phase("creating session")
	loaded, err := loadBound(ctx, framework, spec)
	if err != nil {
		return err
	}
	v.pool.own(loaded)
	return l.makeInstances(ctx, v, phase)
}

// loadEnsemble makes an ensemble, which has no instances.
func (l *Loader) loadEnsemble(_ context.Context, v *Version, _ func(string)) error {
	v.pool = newPool(nil, nil)
	v.Config.ModelTransactionPolicy.Decoupled = hasDecoupledStep(v.Config, v.steps)
	if err := v.prepare(); err != nil {
		return err
	}
	ensemble := sched.NewEnsemble(v.Config, v.steps)
	if n := v.Config.GetEnsembleScheduling().GetMaxInflightRequests(); n > 0 {
		v.log.Info("the ensemble's steps are limited", "max_inflight_requests", n)
	}
	ensemble.Stuck = func(part string, limit int) {
		v.log.Error("a step waited for 300 seconds at max_inflight_requests and goes on without room: steps may be waiting for each other's instances",
			"step", part, "max_inflight_requests", limit)
	}
	v.flow = ensemble
	l.open(v, ensemble)
	return nil
}

// makeInstances makes the instances of a version and opens it. After an error it frees them.
func (l *Loader) makeInstances(ctx context.Context, v *Version, phase func(string)) error {
	if err := l.newMaking(v, phase).all(ctx); err != nil {
		if undo := v.pool.free(); undo != nil {
			v.log.Warn("freeing the instances of a load that failed", "error", undo)
		}
		return err
	}
	v.pool.schedule(scheduling{v.Config, l.Timers, v.sequence, v.counters, l.Memory}.over)
	l.open(v, v.pool.scheduler)
	l.tellPlace(v)
	return nil
}

// open lets a version serve requests, by its scheduler.
func (l *Loader) open(v *Version, scheduler infer.Handler) {
	v.requests = &requests{
		model: v.Name, version: v.Number, contract: v.contract, labels: v.labels, counters: v.counters,
		ensemble: v.ensemble(), active: v.pool.active, behind: l.withCache(v, scheduler),
		decoupled: v.Config.GetModelTransactionPolicy().GetDecoupled(), graph: &l.Calls,
		failures: failures{log: v.log},
	}
}

// complete lets a backend complete the config from what it knows of the model.
func (l *Loader) complete(ctx context.Context, v *Version, framework backend.Backend, phase func(string)) error {
	completer, ok := framework.(backend.Completer)
	if !ok || l.NoAutoComplete {
		return nil
	}
	spec := v.spec()
	spec.Progress = phase
	cfg, err := completer.Complete(ctx, spec)
	if err != nil {
		return err
	}
	v.Config = cfg
	return nil
}

// spec describes the version to its backend.
func (v *Version) spec() backend.Spec {
	return backend.Spec{
		Name: v.Name, Version: v.Number, ModelDir: v.files.source.Dir, VersionDir: v.folder.Dir,
		File: modelFile(v.Config, v.folder), Config: v.Config, Devices: v.plan.Devices(), Log: v.log,
		Imported: v.imports.add,
	}
}

// prepare does what Triton does with every completed config: it checks it, and reads the label files.
func (v *Version) prepare() error {
	if err := refusedAtLoad(v.Config, v.files, v.Number); err != nil {
		return err
	}
	if err := checkStrategy(v.Config); err != nil {
		return err
	}
	if err := checkActive(v.Config); err != nil {
		return err
	}
	labels, err := readLabels(v.Config, v.files.source.Dir)
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

// checkActive refuses a model whose instances are all passive, because it would never answer.
func checkActive(cfg *modelconfig.ModelConfig) error {
	if len(cfg.InstanceGroup) > 0 && !slices.ContainsFunc(cfg.InstanceGroup, active) {
		return infer.Errorf(infer.Unsupported, "every instance group of model '%s' is passive, so that no request would ever be answered", cfg.Name)
	}
	return nil
}

// stillWanted returns an error when a load was given up.
func stillWanted(ctx context.Context, model string) error {
	if ctx.Err() != nil {
		return infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled", model)
	}
	return nil
}

// firstResponseFamily is the metric whose buckets a config may set (docs/triton/metrics.md, "Families").
const firstResponseFamily = "nv_inference_first_response_histogram_ms"

// firstBounds returns the upper bounds of the buckets in milliseconds: the config's, or Triton's.
func firstBounds(cfg *modelconfig.ModelConfig) []float64 {
	for _, control := range cfg.GetModelMetrics().GetMetricControl() {
		if control.GetMetricIdentifier().GetFamily() == firstResponseFamily && len(control.GetHistogramOptions().GetBuckets()) > 0 {
			return control.GetHistogramOptions().GetBuckets()
		}
	}
	return []float64{100, 500, 2000, 5000}
}

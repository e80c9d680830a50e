package model

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/placement"
	"conch/engine/sched"
)

// Version is a loaded version of a model. The caller that loads it closes it.
type Version struct {
	Name   string
	Number int64
	// Namespace is the repository under --model-namespacing; "" otherwise.
	Namespace string
	// Config is completed; it is shared and not changed.
	Config *modelconfig.ModelConfig
	// Took is the duration of the load.
	Took time.Duration

	files    files
	folder   VersionDir
	log      *slog.Logger
	contract *contract
	labels   labels
	sequence *sequenceWiring // nil without sequence batching
	steps    sched.Resolver  // runs the steps of an ensemble
	counters *metrics.Counters
	called   *callLog
	imports  *imports

	pool     *pool           // empty for an ensemble
	flow     *sched.Ensemble // nil for other models
	plan     placement.Plan  // where its instances run
	requests *requests       // set at the end of the load
	end      end
}

var _ infer.Handler = (*Version)(nil)

// Infer serves a request. The caller has entered.
func (v *Version) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	return v.requests.Infer(ctx, r, sink)
}

// Platform returns the platform of the metadata: the config's platform, or the backend where there is none
// (docs/triton/http.md, "Metadata and config").
func (v *Version) Platform() string { return cmp.Or(v.Config.Platform, v.Config.Backend) }

// Inputs returns the model's inputs, in the config's order.
func (v *Version) Inputs() []Described { return v.contract.describe(v.contract.inputs) }

// Outputs returns the model's outputs, in the config's order.
func (v *Version) Outputs() []Described { return v.contract.describe(v.contract.outputs) }

// Counters returns the statistics of this load.
func (v *Version) Counters() *metrics.Counters { return v.counters }

// Instances returns the number of instances; 0 for an ensemble.
func (v *Version) Instances() int { return len(v.pool.all()) }

// Placement returns where the instances run.
func (v *Version) Placement() placement.Plan { return v.plan }

// Memory returns what the backend reports of the memory that the model and its instances hold, by device.
func (v *Version) Memory() []backend.Memory { return v.pool.memory() }

// Trouble returns why instances do not run at the moment, because they died; "" when all run. down reports that none runs.
func (v *Version) Trouble() (why string, down bool) { return v.pool.trouble() }

// Begins returns when the first of the instances that died is made again; zero while that happens.
func (v *Version) Begins() time.Time { return v.pool.begins() }

// Dir returns the model's folder that the version was loaded from.
func (v *Version) Dir() string { return v.files.source.Dir }

// Caches reports whether the response cache is in front of the scheduler.
func (v *Version) Caches() bool {
	_, caches := v.requests.behind.(*cached)
	return caches
}

// ReadsGPU reports whether an input in the memory of a GPU may stay there until an instance reads it. It may not where a part of the
// engine looks at its bytes before. Those of requests that may form a batch are copied as they come, and not while an instance waits.
func (v *Version) ReadsGPU(gpu int) bool {
	if v.ensemble() || v.sequence != nil || v.Caches() || v.Config.GetDynamicBatching() != nil {
		return false
	}
	reader, ok := v.pool.loaded().(backend.GPUReader)
	return ok && reader.ReadsGPU(gpu)
}

// WritesGPU reports whether an output may go to the memory of a GPU without the engine seeing its bytes.
func (v *Version) WritesGPU(gpu int) bool {
	if v.ensemble() || v.sequence != nil || v.Caches() {
		return false
	}
	writer, ok := v.pool.loaded().(backend.GPUWriter)
	return ok && writer.WritesGPU(gpu)
}

// Outdated reports whether an ensemble would get another transaction policy now: a step was loaded again, so the ensemble
// must be loaded again, too.
func (v *Version) Outdated() bool {
	return v.ensemble() && hasDecoupledStep(v.Config, v.steps) != v.Config.GetModelTransactionPolicy().GetDecoupled()
}

func (v *Version) ensemble() bool { return v.Config.GetEnsembleScheduling() != nil }

// Enter keeps the version from being closed until Leave. It returns false when the version drains already: another
// version may serve in its place.
func (v *Version) Enter() bool { return v.end.gate.enter() }

// Leave ends what Enter began.
func (v *Version) Leave() { v.end.gate.leave() }

// InFlight returns the number of requests that entered and have not left.
func (v *Version) InFlight() int64 { return v.end.gate.count() }

// Drain lets no more requests in and waits until those inside have left.
func (v *Version) Drain() { v.end.gate.drain() }

// Close drains the version and frees everything. It is called once. An execution that does not return from its framework is
// given up after a while: Close returns, and the memory is freed when the execution returns after all.
func (v *Version) Close() error {
	return v.end.close(&drain{
		name: v.Name, number: v.Number, ensemble: v.ensemble(), pool: v.pool, log: v.log, handing: &v.requests.handing, running: &v.requests.running,
		interrupted: map[*instance]time.Time{}, lost: map[*instance]bool{},
	})
}

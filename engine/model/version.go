package model

import (
	"context"
	"sync"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/sched"
)

// Version is a loaded version of a model. The one who loads it closes it.
type Version struct {
	Name   string
	Number int64
	// Namespace is the repository under --model-namespacing; "" otherwise.
	Namespace string
	// Config is completed; it is shared and not changed.
	Config *modelconfig.ModelConfig
	// Took is how long the load was.
	Took time.Duration

	files     files
	folder    VersionDir
	contract  *contract
	scheduler infer.Handler
	base      infer.Handler   // the scheduler without what stands in front of it
	ensemble  *sched.Ensemble // nil for any other model
	counters  *metrics.Counters
	labels    labels
	sequence  *sequenceWiring // nil without sequence batching
	resolver  sched.Resolver
	models    infer.Handler  // what instances call other models with
	limiter   *sched.Limiter // nil without
	timers    sched.Timers
	gate      *gate
	caches    bool            // the response cache stands in front of the scheduler
	backend   backend.Backend // nil for an ensemble
	loaded    backend.Model   // nil for an ensemble
	instances []*instance
	active    int // instances that get requests; 0 for an ensemble
	scheduled []*instance
	changed   func(*Version)

	// before is the version that v was made from, and borrowed the instances that belong to both, until Adopt.
	before   *Version
	borrowed map[*instance]bool
	after    <-chan struct{} // closed when the version before has ended
	ended    chan struct{}   // closed when this one has
	replaced bool            // by one that goes on with its model
	updates  sync.WaitGroup  // versions that are being made from this one
	// deliveries are those that are over, for their memory.
	deliveries sync.Pool
}

var _ infer.Handler = (*Version)(nil)

// Counters are this load's numbers.
func (v *Version) Counters() *metrics.Counters { return v.counters }

// Instances is how many of them there are; 0 for an ensemble.
func (v *Version) Instances() int { return len(v.instances) }

// Trouble is why instances run nothing at the moment, because they died; "" when all run. down says that none does.
func (v *Version) Trouble() (why string, down bool) {
	out := 0
	for _, in := range v.scheduled {
		if trouble := in.revival.why(); trouble != nil && !in.passive {
			out++
			why = trouble.Error()
		}
	}
	return why, out > 0 && out == v.active
}

// Dir is the model's folder that the version was made from.
func (v *Version) Dir() string { return v.files.source.Dir }

// Enter keeps the version from being closed until Leave. It is false when the version drains already: another
// may have taken its place.
func (v *Version) Enter() bool { return v.gate.enter() }

// Leave is the end of what Enter began.
func (v *Version) Leave() { v.gate.leave() }

// InFlight is how many requests are inside.
func (v *Version) InFlight() int64 { return v.gate.count() }

// Drain lets nobody in any more and waits for those inside.
func (v *Version) Drain() {
	v.gate.shut()
	<-v.gate.empty
}

// Infer checks, schedules and counts a request. The caller has entered.
func (v *Version) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	accepted := time.Now()
	if r.Received.IsZero() {
		r.Received = accepted
	}
	if err := v.contract.check(r); err != nil {
		return err // counted nowhere (docs/triton/metrics.md, "What counts as what")
	}
	if r.Caller != nil {
		if err := v.reachable(r); err != nil {
			return err
		}
	}
	if r.Trace != nil {
		r.Trace.Begin(v.Name, v.Number, r)
	}
	d := v.deliver(r, sink)
	err := v.scheduler.Infer(ctx, v.contract.reshapeInputs(r), d.hand)
	if r.Trace != nil {
		r.Trace.End(err)
	}
	if err != nil && !d.answered && countsAsFailure(err) {
		v.counters.Failed(v.reason(err), time.Since(accepted))
	}
	v.delivered(d, err)
	return err
}

func countsAsFailure(err error) bool {
	fate := infer.FateOf(err)
	return fate != infer.TurnedAway && fate != infer.Answered
}

func (v *Version) succeeded(r *infer.Request, resp *infer.Response) {
	resp.Timings.Total = time.Since(r.Received)
	switch resp.Cache {
	case infer.CacheHit:
		v.counters.Hit(resp.Timings, resp.CacheTook)
		return
	case infer.CacheMiss:
		v.counters.Missed(resp.CacheTook)
	}
	if resp.Late {
		return // counted when its execution ended
	}
	v.counters.Succeeded(r.Batch, resp.Timings)
	if v.ensemble != nil {
		v.counters.Executed(max(r.Batch, 1), resp.Timings)
	}
}

// Caches says whether the version's responses are cached.
func (v *Version) Caches() bool { return v.caches }

// reason is the label of a failure. Those of an ensemble are all OTHER (docs/triton/ensembles.md,
// "Counting").
func (v *Version) reason(err error) metrics.Reason {
	if why := metrics.ReasonOf(err); why == metrics.Canceled || v.ensemble == nil {
		return why
	}
	return metrics.Other
}

// dress makes a backend's response the client's: names, shapes, and classes where they were asked for.
func (v *Version) dress(r *infer.Request, resp *infer.Response) error {
	resp.ID, resp.Model, resp.Version = r.ID, v.Name, v.Number
	resp.Labels = v.labelsOf(resp)
	if len(r.Outputs) > 0 {
		resp.Outputs = wantedOf(r, resp.Outputs)
	}
	for i := range resp.Outputs {
		out := &resp.Outputs[i]
		p := v.contract.output(out.Name)
		if p == nil {
			return infer.Errorf(infer.Internal, "unexpected inference output '%s' for model '%s'", out.Name, v.Name)
		}
		v.contract.reshapeOutput(out, p)
		top := classesOf(r, out.Name)
		if top == 0 {
			continue
		}
		label := func(class int) string { return nameOf(resp.Labels, out.Name, class) }
		if err := classify(out, v.contract.maxBatch > 0, top, label); err != nil {
			return err
		}
	}
	return nil
}

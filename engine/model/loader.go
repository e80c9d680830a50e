package model

import (
	"log/slog"
	"slices"
	"sync/atomic"

	"conch/configedit/modelconfig"
	"conch/configedit/reach"
	"conch/engine/backend"
	"conch/engine/budget"
	"conch/engine/cache"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
	"conch/engine/metrics/own"
	"conch/engine/placement"
	"conch/engine/sched"
)

// Loader loads versions. Its fields are set once, before the first use.
type Loader struct {
	Backends map[string]backend.Backend // by name
	// Resolver runs the steps of ensembles. With namespaces, ResolverIn returns the resolver of one; nil without.
	Resolver   sched.Resolver
	ResolverIn func(namespace string) sched.Resolver
	// Models runs the requests that models make to other models; nil when no model calls others.
	Models infer.Handler
	// Calls knows who waits for whom.
	Calls CallGraph
	// Server and Metrics are what models may use of the engine besides requests (backend.Spec); nil for none.
	Server  backend.Server
	Metrics *own.Registry
	// Changed is called when the Trouble of a version changes, and when it calls another model for the first time; may be nil.
	Changed func(v *Version)
	// Died is called when an instance has died that serves; why says the reason, and what Conch does. It may be nil.
	Died func(v *Version, why string)
	// Revived is called when it runs again. It may be nil.
	Revived func(v *Version)
	// Imported is called when Imports of a version has grown, which may still be loading. It does not wait. May be nil.
	Imported func(v *Version)
	// NoAutoComplete is --disable-auto-complete-config.
	NoAutoComplete bool
	// ExternalPaths permits warm-up and initial-state files outside of a model's folder, as Triton does.
	ExternalPaths bool
	// Cache keeps responses of models that ask for it; nil when the server has none.
	Cache *cache.Cache
	// Limiter shares out resources among the instances of all models; nil for --rate-limit=off.
	Limiter *sched.Limiter
	// Machine returns what is known of the GPUs of the machine, read again now when fresh; nil without them.
	Machine func(fresh bool) placement.Machine
	// GPULabel returns the UUID of a GPU where what runs on it has series of its own in the metrics, else ""; nil without.
	GPULabel func(gpu int) string
	// StrictGPU refuses a model whose GPUs are not there, as Triton does.
	StrictGPU atomic.Bool
	// GPULimits bound the memory of GPUs, and LeastCapability is the compute capability that a GPU must have.
	GPULimits       placement.Limits
	LeastCapability float64
	// HostPolicies are what instances are bound to, --host-policy.
	HostPolicies hostpolicy.Settings
	// Timers are the timers of the schedulers; nil for Go's.
	Timers sched.Timers
	// FirstResponses counts how long each request waits for its first response, --metrics-config=histogram_latencies=true.
	FirstResponses bool
	// Room limits the memory of models; nil without a limit.
	Room *Room
	// Memory counts what requests and answers hold, for backends; nil without a bound.
	Memory *budget.Budget
	// Swaps counts how often loaded versions began to serve. The caller that lets them serve adds to it afterwards.
	Swaps atomic.Uint64
	Log   *slog.Logger
}

func (l *Loader) tellImported(v *Version) {
	if l.Imported != nil {
		l.Imported(v)
	}
}

func (l *Loader) tellChanged(v *Version) {
	if l.Changed != nil {
		l.Changed(v)
	}
}

func (l *Loader) tellDied(v *Version, why string) {
	if l.Died != nil {
		l.Died(v, why)
	}
}

func (l *Loader) tellRevived(v *Version) {
	if l.Revived != nil {
		l.Revived(v)
	}
}

// Runnable reports whether there is a backend of this name; an ensemble needs none.
func (l *Loader) Runnable(backendName string, ensemble bool) bool {
	return ensemble || l.Backends[backendName] != nil
}

// Code lists the code of its own that a model runs. A model of an unknown backend runs nothing.
func (l *Loader) Code(cfg *modelconfig.ModelConfig) []reach.File {
	b := l.Backends[cfg.GetBackend()]
	if b == nil {
		return nil
	}
	code := reach.Code(cfg)
	if data, ok := b.(backend.DataOnly); ok && data.DataOnly() {
		code = slices.DeleteFunc(code, reach.File.IsOwnBackend)
	}
	return code
}

// resolver returns what runs the steps of ensembles in a namespace.
func (l *Loader) resolver(namespace string) sched.Resolver {
	if l.ResolverIn == nil {
		return l.Resolver
	}
	return l.ResolverIn(namespace)
}

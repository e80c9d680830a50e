package model

import (
	"log/slog"
	"sync/atomic"

	"conch/engine/backend"
	"conch/engine/cache"
	"conch/engine/infer"
	"conch/engine/sched"
)

// Loader makes versions. Its fields are set once, before the first use.
type Loader struct {
	Backends map[string]backend.Backend // by name
	// Resolver runs the steps of ensembles. With namespaces, ResolverIn does, for those in one of them; nil without.
	Resolver   sched.Resolver
	ResolverIn func(namespace string) sched.Resolver
	// Models runs the requests that models make to others; nil for a loader whose models call none.
	Models infer.Handler
	// Changed is called when Trouble of a version says something else; nil for nobody.
	Changed func(v *Version)
	// NoAutoComplete is --disable-auto-complete-config.
	NoAutoComplete bool
	// ExternalPaths takes warm-up and initial-state files from outside of a model's folder, as Triton does.
	ExternalPaths bool
	// Cache keeps responses of models that ask for it; nil when the server has none.
	Cache *cache.Cache
	// Limiter shares out resources among the instances of all models; nil for --rate-limit=off.
	Limiter *sched.Limiter
	// Timers are those of the schedulers; nil for Go's.
	Timers sched.Timers
	// FirstResponses counts how long each request waits for its first response, --metrics-config=histogram_latencies=true.
	FirstResponses bool
	// Room is the memory that there is for models; nil for as much as they want.
	Room *Room
	// Swaps is counted up by whoever makes loaded versions serve, after that.
	Swaps atomic.Uint64
	Log   *slog.Logger
}

func (l *Loader) tellChanged(v *Version) {
	if l.Changed != nil {
		l.Changed(v)
	}
}

// Runnable says whether there is a backend of this name; an ensemble needs none.
func (l *Loader) Runnable(backendName string, ensemble bool) bool {
	return ensemble || l.Backends[backendName] != nil
}

// resolver runs the steps of the ensembles of a namespace.
func (l *Loader) resolver(namespace string) sched.Resolver {
	if l.ResolverIn == nil {
		return l.Resolver
	}
	return l.ResolverIn(namespace)
}

package control

import (
	"context"
	"log/slog"
	"time"

	"conch/engine/metrics"
	"conch/engine/model"
	"conch/engine/option"
	"conch/engine/sched"
)

// Options set what a Manager controls and how. All except Log, LoadModels and LoadThreads are
// required.
type Options struct {
	Models ModelSource
	Loader *model.Loader
	Mode   Mode
	Reload Reload
	// Namespacing is --model-namespacing: each repository is a namespace of its own.
	Namespacing bool
	// Ways say how to permit what is forbidden at first; without them everything is permitted.
	Ways Ways
	// LoadModels are loaded at start in explicit mode; "*" alone means all.
	LoadModels []string
	// LoadThreads bounds the versions that load at a time; 0 means the default of --model-load-thread-count.
	LoadThreads int
	// LoadRetries is how often a failed load of a version is retried at once; 0 means never.
	LoadRetries int
	// PollEvery is the interval of poll mode's looks, besides the source's listings; 0 means the default of
	// --repository-poll-secs.
	PollEvery time.Duration
	// RestorePending keeps the server not ready until the caller has asked for models and called Restored.
	RestorePending bool
	// LeaveMemory makes Close free nothing: the process ends right after it, and the system frees faster.
	LeaveMemory bool
	// Ledger sums the requests of each version over its loads; nil sums nothing.
	Ledger *metrics.Ledger
	Log    *slog.Logger
}

// Manager holds all loaded models. Only the Manager loads and unloads. It connects its parts and
// begins an operation for each request to load or unload. The operations change state and the
// routes of requests.
type Manager struct {
	*core
	*Router
	*Overview
	gate     *gate
	files    *clientFiles
	definer  *definer
	ops      *operations
	exits    *exits
	follower *follower
}

// New returns a Manager without loaded models. It becomes its loader's Resolver.
func New(o Options) *Manager {
	c := newCore(o.withDefaults())
	router, gate, files := &Router{c}, &gate{c}, newClientFiles(c)
	definer, exits := &definer{c, router.in}, &exits{core: c, files: files}
	changer := &changer{
		core: c, definer: definer, gate: gate, exits: exits, files: files,
		builder: &builder{c, gate, make(chan struct{}, c.o.LoadThreads)},
	}
	ops := &operations{core: c, locks: newNameLocks(), definer: definer, changer: changer, exits: exits}
	follower := &follower{c, ops}
	changer.again = follower.retry
	follower.seeRoots()
	o.Loader.Resolver = router.in("")
	o.Loader.Changed = func(v *model.Version) {
		c.hub.changed(c.names.key(identity{v.Namespace, v.Name}))
		c.hub.serverChanged()
	}
	o.Loader.Died = func(v *model.Version, why string) {
		c.hub.happened(Happening{Kind: InstanceDied, Model: c.names.key(identity{v.Namespace, v.Name}), Version: v.Number, Reason: why, Time: time.Now()})
	}
	o.Loader.Revived = func(v *model.Version) {
		c.hub.happened(Happening{Kind: InstanceRevived, Model: c.names.key(identity{v.Namespace, v.Name}), Version: v.Number, Time: time.Now()})
	}
	o.Loader.Imported = c.noteImports
	if o.Namespacing {
		o.Loader.ResolverIn = func(namespace string) sched.Resolver { return router.in(namespace) }
	}
	return &Manager{
		core: c, Router: router, Overview: &Overview{c}, gate: gate, files: files, definer: definer, ops: ops, exits: exits,
		follower: follower,
	}
}

// withDefaults fills in the optional fields.
func (o Options) withDefaults() Options {
	defaults := option.Default()
	if o.LoadThreads <= 0 {
		o.LoadThreads = defaults.LoadThreads
	}
	if o.PollEvery <= 0 {
		o.PollEvery = defaults.PollEvery()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Mode returns the control mode.
func (m *Manager) Mode() Mode { return m.o.Mode }

// Reload returns what happens in explicit mode when files change.
func (m *Manager) Reload() Reload { return m.o.Reload }

// Restored declares that all models to load after the start were requested and answered.
func (m *Manager) Restored() {
	m.state.Lock().restoring = false
	m.state.Unlock()
	m.hub.serverChanged()
}

// StopLoading stops every load, including later ones.
func (m *Manager) StopLoading() { m.end() }

// Close stops all loads, accepts no more requests, waits for the running ones until ctx ends, and
// frees every model without running requests, unless LeaveMemory is set.
func (m *Manager) Close(ctx context.Context) error {
	m.state.Lock().closing = true
	m.state.Unlock()
	m.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.exits.retireAll()
		if !m.o.LeaveMemory { // otherwise nobody needs to wait for a stopped load
			m.work.Wait()
		}
	}()
	defer m.files.removeAll()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

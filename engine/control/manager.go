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

// Options say what a Manager controls and how. All but Log, LoadModels and LoadThreads are required.
type Options struct {
	Library Library
	Loader  *model.Loader
	Mode    Mode
	Reload  Reload
	// Namespacing is --model-namespacing: each repository is a namespace of its own.
	Namespacing bool
	// Ways say how to permit what is not permitted at first; without them everything is.
	Ways Ways
	// LoadModels are loaded at start in explicit mode; "*" alone means all.
	LoadModels []string
	// LoadThreads bounds the versions that are loaded side by side; 0 means the default of --model-load-thread-count.
	LoadThreads int
	// LoadRetries is how often a version that did not load is tried again at once; 0 means not.
	LoadRetries int
	// PollEvery is how often poll mode looks for itself, beside what the library tells; 0 means the default of --repository-poll-secs.
	PollEvery time.Duration
	// RestorePending: somebody will ask for models and then call Restored; until then the server is not ready.
	RestorePending bool
	// LeaveMemory makes Close free nothing: the process ends right after, and the system is faster at it.
	LeaveMemory bool
	// Ledger sums the requests of each version over its loads; nil does not.
	Ledger *metrics.Ledger
	Log    *slog.Logger
}

// Manager holds every model that is loaded and is the only one who loads and unloads. It puts its
// parts together and takes what people ask for: that is begun as operations, which change what is
// known in state and where requests go.
type Manager struct {
	*core
	*Router
	*Overview
	gate     *gate
	files    *clientFiles
	planner  *planner
	ops      *operations
	exits    *exits
	follower *follower
}

// New makes a Manager that has loaded nothing yet. It becomes its loader's Resolver.
func New(o Options) *Manager {
	c := newCore(o.withDefaults())
	router, gate, files := &Router{c}, &gate{c}, newClientFiles(c)
	planner, exits := &planner{c, router.in}, &exits{core: c, files: files}
	changer := &changer{
		core: c, planner: planner, gate: gate, exits: exits, files: files,
		builder: &builder{c, gate, make(chan struct{}, c.o.LoadThreads)},
	}
	ops := &operations{core: c, locks: newNameLocks(), planner: planner, changer: changer, exits: exits}
	follower := &follower{c, ops}
	changer.again = follower.retry
	follower.seeRoots()
	o.Loader.Resolver = router.in("")
	o.Loader.Changed = func(v *model.Version) {
		c.hub.changed(c.names.key(identity{v.Namespace, v.Name}))
		c.hub.serverChanged()
	}
	if o.Namespacing {
		o.Loader.ResolverIn = func(namespace string) sched.Resolver { return router.in(namespace) }
	}
	return &Manager{
		core: c, Router: router, Overview: &Overview{c}, gate: gate, files: files, planner: planner, ops: ops, exits: exits,
		follower: follower,
	}
}

// withDefaults fills in what may be left out.
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

// Mode is the control mode.
func (m *Manager) Mode() Mode { return m.o.Mode }

// Reload is what happens in explicit mode when files change.
func (m *Manager) Reload() Reload { return m.o.Reload }

// Restored says that everything that was to be loaded after the start has been asked for and answered.
func (m *Manager) Restored() {
	m.state.lock().restoring = false
	m.state.unlock()
	m.hub.serverChanged()
}

// StopLoading gives up every load, those that are asked for from now on too.
func (m *Manager) StopLoading() { m.end() }

// Close stops what is being loaded, lets no request in any more, waits for those inside until ctx
// ends, and frees every model that is empty by then, unless LeaveMemory says otherwise.
func (m *Manager) Close(ctx context.Context) error {
	m.state.lock().closing = true
	m.state.unlock()
	m.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.exits.retireAll()
		if !m.o.LeaveMemory { // otherwise nobody needs to wait for a load that is given up
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

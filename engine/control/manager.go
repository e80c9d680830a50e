package control

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
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

// Manager holds every model that is loaded and is the only one who loads and unloads.
type Manager struct {
	o       Options
	log     *slog.Logger
	threads chan struct{} // as many as may load at a time
	locks   *nameLocks
	routes  sync.Map // name -> *route: what clients' requests are sent to
	// stepRoutes is the same for the steps of ensembles, where a model stays until those have drained.
	stepRoutes sync.Map
	hub        *hub
	names      *names
	work       sync.WaitGroup // operations and drains
	trims      atomic.Int64   // asked for and not done
	life       context.Context
	end        context.CancelFunc

	mu       sync.Mutex // guards what follows
	entries  map[string]*entry
	listing  *Listing       // the newest that was acted on
	followed *Listing       // the newest that was compared with what was looked at last
	coming   map[string]int // orders that a listing asks for and that are about to be enlisted
	roots    map[string]*rootState
	// users are the ensembles made of a model, by the model's name in their configs.
	users     map[string]map[string]bool
	given     given
	tickets   map[string][]*ticket // by model: the orders under way, in the order in which they came
	access    Access
	started   bool
	restoring bool // the models of the process before are still being asked for
	closing   bool
}

// New makes a Manager that has loaded nothing yet. It becomes its loader's Resolver.
func New(o Options) *Manager {
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
	life, end := context.WithCancel(context.Background())
	m := &Manager{
		o: o, log: o.Log, restoring: o.RestorePending, threads: make(chan struct{}, o.LoadThreads), locks: newNameLocks(), hub: newHub(),
		names: newNames(o.Namespacing), given: given{uses: map[string]int{}}, tickets: map[string][]*ticket{},
		access: o.Ways.atFirst(), life: life, end: end, entries: map[string]*entry{}, coming: map[string]int{}, roots: map[string]*rootState{}, users: map[string]map[string]bool{},
		listing: o.Library.Current(), // whoever asks before Run begins sees the repository, not nothing
	}
	m.lookAtRoots(m.listing)
	o.Loader.Resolver = m.Steps()
	if o.Namespacing {
		o.Loader.ResolverIn = func(namespace string) sched.Resolver { return &steps{m, namespace} }
	}
	return m
}

// Mode is the control mode.
func (m *Manager) Mode() Mode { return m.o.Mode }

// Reload is what happens in explicit mode when files change.
func (m *Manager) Reload() Reload { return m.o.Reload }

// Started says whether the models asked for at start have been dealt with.
func (m *Manager) Started() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.started
}

// Restored says that everything that was to be loaded after the start has been asked for and answered.
func (m *Manager) Restored() {
	m.mu.Lock()
	m.restoring = false
	m.mu.Unlock()
	m.hub.serverChanged()
}

// Settled says whether the start is over, with what was asked for after it.
func (m *Manager) Settled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.started && !m.restoring
}

// begin counts an operation in, unless the Manager closes.
func (m *Manager) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return false
	}
	m.work.Add(1)
	return true
}

// StopLoading gives up every load, those that are asked for from now on too.
func (m *Manager) StopLoading() { m.end() }

// Close stops what is being loaded, lets no request in any more, waits for those inside until ctx ends, and frees
// every model that is empty by then, unless LeaveMemory says otherwise.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closing = true
	m.mu.Unlock()
	m.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.retireAll()
		if !m.o.LeaveMemory { // otherwise nobody needs to wait for a load that is given up
			m.work.Wait()
		}
	}()
	defer m.removeGiven()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

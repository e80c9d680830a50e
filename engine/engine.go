package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"conch/engine/alarm"
	"conch/engine/backend"
	"conch/engine/budget"
	"conch/engine/cache"
	"conch/engine/control"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/memory"
	"conch/engine/metrics"
	"conch/engine/model"
	"conch/engine/sched"
)

// Version is the Triton release whose behaviour the engine follows; server metadata reports it.
const Version = "2.73.0"

// Options say what an engine serves and how. Library is required.
type Options struct {
	Library  control.Library
	Backends []backend.Backend
	Mode     control.Mode
	// LoadModels are loaded at start in explicit mode; "*" alone means all.
	LoadModels []string
	// Reload says whether a loaded model follows its files in explicit mode. Poll mode always follows, none never.
	Reload control.Reload
	// Namespacing is --model-namespacing: each repository is a namespace.
	Namespacing bool
	// Ways say how to permit what the engine does not let in at first; without them it lets everything in.
	Ways control.Ways
	// ExternalPaths takes files from outside of models' folders, --allow-external-paths.
	ExternalPaths bool
	// LoadThreads bounds the models that are loaded side by side; 0 means Triton's 4.
	LoadThreads int
	// FirstResponses counts first responses for the metrics page, --metrics-config=histogram_latencies=true.
	FirstResponses bool
	// LoadRetries is how often a load that failed is tried again, --model-load-retry-count.
	LoadRetries int
	// ExitOnError makes Run fail when a model does not load at start.
	ExitOnError bool
	// LenientReadiness is --strict-readiness=false: ready once started, whatever the models' states.
	LenientReadiness bool
	// NoAutoComplete is --disable-auto-complete-config.
	NoAutoComplete bool
	// DefaultMaxBatchSize is --backend-config=default-max-batch-size; nil means Triton's 4.
	DefaultMaxBatchSize *int32
	// BackendConfig are the values of --backend-config as they stand; each backend reads its own.
	BackendConfig []string
	// PollEvery is --repository-poll-secs; 0 means Triton's 15 s.
	PollEvery time.Duration
	// ExitTimeout bounds the draining at the end; 0 means Triton's 30 s.
	ExitTimeout time.Duration
	// CacheBytes is the size of the response cache, --cache-config=local,size=N; 0 for none.
	CacheBytes int64
	// Limiter is --rate-limit=execution_count with its resources; nil for off.
	Limiter *sched.Limiter
	// RequestMemory bounds the memory of all requests and answers, in bytes; 0 means half of what the process may use, less
	// than 0 no bound.
	RequestMemory int64
	// RestorePending keeps the engine from being ready until the workbench has had loaded what the engine before had.
	RestorePending bool
	// LeaveMemory frees nothing at the end of Run: the process ends right after, and the system is faster at it.
	LeaveMemory bool
	// PlainTimers waits by Go's timers alone, which follow the clock of a test; the kernel's do not.
	PlainTimers bool
	Log         *slog.Logger
}

// defaultExitTimeout is --exit-timeout-secs.
const defaultExitTimeout = 30 * time.Second

// keptShare is the part of the memory that a model of many instances leaves free.
const keptShare = 32

// ErrLoadAtStart is what Run ends with under ExitOnError when a model did not load at start; the log has the
// reasons.
var ErrLoadAtStart = errors.New("creating server: Internal - failed to load all models")

// Engine serves the models of a repository.
type Engine struct {
	o       Options
	log     *slog.Logger
	manager *control.Manager
	ledger  *metrics.Ledger
	clock   *alarm.Clock
	cache   *cache.Cache
	live    atomic.Bool
	inside  atomic.Int64
	memory  *budget.Budget
	started chan struct{}
	endBy   atomic.Pointer[time.Time] // of an end that was announced
}

var (
	_ kserve.Service         = (*Engine)(nil)
	_ kserve.MetricsReporter = (*Engine)(nil)
	_ kserve.CacheReporter   = (*Engine)(nil)
	_ infer.Passage          = (*Engine)(nil)
)

// New makes an engine that has loaded nothing yet; Run makes it live.
func New(o Options) *Engine {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.ExitTimeout <= 0 {
		o.ExitTimeout = defaultExitTimeout
	}
	backends := map[string]backend.Backend{}
	for _, b := range o.Backends {
		backends[b.Name()] = b
	}
	var responses *cache.Cache
	if o.CacheBytes > 0 {
		responses = cache.New(o.CacheBytes)
	}
	clock := new(alarm.Clock)
	var timers sched.Timers // Go's
	if !o.PlainTimers {
		timers = clock.Alarm
	}
	ledger := new(metrics.Ledger)
	manager := control.New(control.Options{
		Ledger:  ledger,
		Library: o.Library, Mode: o.Mode, Reload: o.Reload, Namespacing: o.Namespacing, LoadModels: o.LoadModels, Ways: o.Ways,
		LoadThreads: o.LoadThreads, LoadRetries: o.LoadRetries, PollEvery: o.PollEvery, LeaveMemory: o.LeaveMemory, RestorePending: o.RestorePending, Log: o.Log,
		Loader: &model.Loader{
			Room:           &model.Room{Free: memory.Free, Kept: budget.ProcessMemory() / keptShare},
			FirstResponses: o.FirstResponses, ExternalPaths: o.ExternalPaths, Timers: timers,
			Limiter: o.Limiter, Cache: responses, Backends: backends, NoAutoComplete: o.NoAutoComplete, Log: o.Log,
		},
	})
	return &Engine{
		o: o, log: o.Log, manager: manager, ledger: ledger, clock: clock, cache: responses, started: make(chan struct{}),
		memory: budget.Of(o.RequestMemory),
	}
}

// Run loads what is wanted at start and follows the repository until ctx ends; then it waits for the requests
// inside, at most for ExitTimeout, and frees everything. It is called once.
func (e *Engine) Run(ctx context.Context) error {
	e.live.Store(true)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := e.manager.Run(ctx, func(failed int) {
		if failed > 0 && e.o.ExitOnError && e.endBy.Load() == nil { // loads that the end gives up are no failure of the start
			cancel(ErrLoadAtStart)
			return
		}
		close(e.started)
	})
	if err != nil {
		return errors.Join(fmt.Errorf("creating server: %s - %w", infer.CodeOf(err), err), e.close())
	}
	if cause := context.Cause(ctx); errors.Is(cause, ErrLoadAtStart) {
		return errors.Join(cause, e.close())
	}
	return e.close()
}

// Started is closed when the models asked for at start have been dealt with.
func (e *Engine) Started() <-chan struct{} { return e.started }

// Manager gives what controls the models, for the private service.
func (e *Engine) Manager() *control.Manager { return e.manager }

// Sums are the requests of users of each version over all its loads, for the private service.
func (e *Engine) Sums() []metrics.Sum { return e.ledger.Sums() }

// ExitTimeout is how long running requests may take at the end.
func (e *Engine) ExitTimeout() time.Duration { return e.o.ExitTimeout }

// EndBy announces the end, which begins with the context of Run: loads are given up from now on, and Run returns by then,
// whatever still runs.
func (e *Engine) EndBy(t time.Time) {
	e.endBy.Store(&t)
	e.manager.StopLoading()
}

// InFlight is how many requests are inside.
func (e *Engine) InFlight() int64 { return e.inside.Load() }

// Memory is what requests and answers may hold; transports count in it what has not reached Infer yet or has left it.
func (e *Engine) Memory() *budget.Budget { return e.memory }

// Backends are those the engine was made with.
func (e *Engine) Backends() []backend.Backend { return e.o.Backends }

func (e *Engine) close() error {
	deadline := time.Now().Add(e.o.ExitTimeout)
	if announced := e.endBy.Load(); announced != nil {
		deadline = *announced
	}
	ctx, cancel := context.WithDeadlineCause(context.Background(), deadline, errors.New("exit timeout expired while requests were in flight"))
	defer cancel()
	if err := e.manager.Close(ctx); err != nil {
		return err // the backends are still in use: the end of the process frees them
	}
	e.clock.Close()
	if e.o.LeaveMemory {
		return nil
	}
	var errs []error
	for _, b := range e.o.Backends {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

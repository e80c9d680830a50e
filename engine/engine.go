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
	"conch/engine/device"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/memory"
	"conch/engine/metrics"
	"conch/engine/metrics/own"
	"conch/engine/model"
	"conch/engine/option"
)

// Options set what an engine serves and how. Models is required.
type Options struct {
	// Options are about the repository: which models are loaded, and when. A caller may set a part of the Loader, how
	// a model is loaded; New sets the part that the models share.
	control.Options
	Backends []backend.Backend
	// ExitOnError makes Run fail when a model does not load at start.
	ExitOnError bool
	// LenientReadiness is --strict-readiness=false: the server is ready once it has started, even if
	// models are not.
	LenientReadiness bool
	// ExitTimeout bounds the wait for running requests at the end; 0 means the default of
	// --exit-timeout-secs.
	ExitTimeout time.Duration
	// CacheBytes is the size of the response cache, --cache-config=local,size=N; 0 for none.
	CacheBytes int64
	// RequestMemory bounds the memory of all requests and answers, in bytes; 0 means half of the process's memory, a
	// negative value no bound.
	RequestMemory int64
	// Devices returns what is known of the GPUs of the machine; nil without them.
	Devices func() device.Snapshot
	// GPULabels has what runs on a GPU counted for that GPU, for models that are loaded after the start, as Triton does with
	// --allow-gpu-metrics.
	GPULabels bool
	// PlainTimers uses only Go's timers. They follow the fake clock of a test; the kernel's timers
	// do not.
	PlainTimers bool
}

// keptShare is the fraction (1/keptShare) of the memory that a model of many instances leaves free.
const keptShare = 32

// ErrLoadAtStart is Run's error under ExitOnError when a model did not load at start. The log has the
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
	own     own.Registry // metrics of models
	started chan struct{}
	endBy   atomic.Pointer[time.Time] // the time of an announced end
}

var (
	_ kserve.Service         = (*Engine)(nil)
	_ kserve.MetricsReporter = (*Engine)(nil)
	_ kserve.CacheReporter   = (*Engine)(nil)
	_ kserve.OwnReporter     = (*Engine)(nil)
	_ kserve.DeviceReporter  = (*Engine)(nil)
	_ infer.Passage          = (*Engine)(nil)
)

// New returns an engine without loaded models; Run makes it live.
func New(o Options) *Engine {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.ExitTimeout <= 0 {
		defaults := option.Default()
		o.ExitTimeout = defaults.ExitTimeout()
	}
	e := &Engine{o: o, log: o.Log, clock: new(alarm.Clock), started: make(chan struct{}), memory: budget.Of(o.RequestMemory)}
	if o.CacheBytes > 0 {
		e.cache = cache.New(o.CacheBytes)
	}
	o.Loader, o.Ledger = e.loader(o.Loader), new(metrics.Ledger)
	e.ledger = o.Ledger
	e.manager = control.New(o.Options)
	return e
}

// loader returns the caller's loader, or a new one, with the parts that all models share.
func (e *Engine) loader(l *model.Loader) *model.Loader {
	if l == nil {
		l = &model.Loader{}
	}
	l.Backends = map[string]backend.Backend{}
	for _, b := range e.o.Backends {
		l.Backends[b.Name()] = b
	}
	l.Room = &model.Room{Free: memory.Free, Kept: budget.ProcessMemory() / keptShare}
	l.Memory = e.memory
	l.Cache, l.Log, l.Models = e.cache, e.log, e
	l.Server, l.Metrics = server{e}, &e.own
	l.GPULabel = e.gpuLabel
	if !e.o.PlainTimers {
		l.Timers = e.clock.Alarm
	}
	return l
}

// Run loads the models of the start and follows the repository until ctx ends. Then it waits for the running
// requests, at most for ExitTimeout, and frees everything. It is called once.
func (e *Engine) Run(ctx context.Context) error {
	e.live.Store(true)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := e.manager.Run(ctx, func(failed int) {
		if failed > 0 && e.o.ExitOnError && e.endBy.Load() == nil { // a load that the end stops is not a failure of the start
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

// Started returns a channel that is closed when each model of the start is loaded or has failed.
func (e *Engine) Started() <-chan struct{} { return e.started }

// Manager returns the control of the models, for the private service.
func (e *Engine) Manager() *control.Manager { return e.manager }

// Sums returns the sums of the users' requests to each version over all its loads, for the private
// service.
func (e *Engine) Sums() []metrics.Sum { return e.ledger.Sums() }

// ExitTimeout returns how long running requests may take at the end.
func (e *Engine) ExitTimeout() time.Duration { return e.o.ExitTimeout }

// EndBy announces the end, which begins when the context of Run ends. From now on loads are stopped. Run returns by
// t, even if something still runs.
func (e *Engine) EndBy(t time.Time) {
	e.endBy.Store(&t)
	e.manager.StopLoading()
}

// InFlight returns how many requests are running or waiting.
func (e *Engine) InFlight() int64 { return e.inside.Load() }

// Memory returns the budget of requests and answers. Transports count in it what has not reached Infer yet or has
// left it.
func (e *Engine) Memory() *budget.Budget { return e.memory }

// Backends returns the backends of the engine.
func (e *Engine) Backends() []backend.Backend { return e.o.Backends }

func (e *Engine) close() error {
	deadline := time.Now().Add(e.o.ExitTimeout)
	if announced := e.endBy.Load(); announced != nil {
		deadline = *announced
	}
	ctx, cancel := context.WithDeadlineCause(context.Background(), deadline, errors.New("exit timeout expired while requests were in flight"))
	defer cancel()
	if err := e.manager.Close(ctx); err != nil {
		return err // the backends are still in use; the end of the process frees them
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

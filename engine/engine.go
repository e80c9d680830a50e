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
	"conch/engine/option"
)

// Options say what an engine serves and how. Library is required.
type Options struct {
	// Options are about the repository: which models are loaded, and when. Of the Loader a caller sets how a model is
	// loaded, if anything; New sets what the models share.
	control.Options
	Backends []backend.Backend
	// ExitOnError makes Run fail when a model does not load at start.
	ExitOnError bool
	// LenientReadiness is --strict-readiness=false: ready once started, whatever the models' states.
	LenientReadiness bool
	// ExitTimeout bounds the draining at the end; 0 means the default of --exit-timeout-secs.
	ExitTimeout time.Duration
	// CacheBytes is the size of the response cache, --cache-config=local,size=N; 0 for none.
	CacheBytes int64
	// RequestMemory bounds the memory of all requests and answers, in bytes; 0 means half of what the process may use, less
	// than 0 no bound.
	RequestMemory int64
	// PlainTimers waits by Go's timers alone, which follow the clock of a test; the kernel's do not.
	PlainTimers bool
}

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

// loader gives a loader of the caller, if any, what all models share.
func (e *Engine) loader(l *model.Loader) *model.Loader {
	if l == nil {
		l = &model.Loader{}
	}
	l.Backends = map[string]backend.Backend{}
	for _, b := range e.o.Backends {
		l.Backends[b.Name()] = b
	}
	l.Room = &model.Room{Free: memory.Free, Kept: budget.ProcessMemory() / keptShare}
	l.Cache, l.Log, l.Models = e.cache, e.log, e
	if !e.o.PlainTimers {
		l.Timers = e.clock.Alarm
	}
	return l
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

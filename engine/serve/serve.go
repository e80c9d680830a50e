package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// Deps is what the program around gives to the process.
type Deps struct {
	// OpenLibrary opens the repositories that the flags name. With follow, it watches them.
	OpenLibrary func(ctx context.Context, o LibraryOptions) (control.Library, io.Closer, error)
	// Backends makes the list of backends. They open their libraries when they first load a model.
	Backends func(o engine.Options, log *slog.Logger) []backend.Backend
	Stdin    io.Reader // for --parent-pipe
	Stderr   io.Writer // the log
}

// LibraryOptions are the flags that concern the repository.
type LibraryOptions struct {
	Roots      []string
	ConfigName string // --model-config-name; "" for config.pbtxt
	Follow     bool   // somebody acts on changes
}

// Run is the whole life of the process, until the end of ctx, which signals bring about, or of the parent's pipe. An error is
// for people and means exit status 1.
func (f *Flags) Run(ctx context.Context, deps Deps) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if f.ParentPipe {
		go func() {
			_, _ = io.Copy(io.Discard, deps.Stdin) // its end is the news, however it comes
			cancel()
		}()
	}
	return bounded(ctx, f.exitTimeout(), func(ctx context.Context) error { return f.live(ctx, deps) })
}

func (f *Flags) live(ctx context.Context, deps Deps) error {
	defer roomyHeap()()
	settings, closeLog, err := f.openLog(deps.Stderr)
	if err != nil {
		return err
	}
	defer closeLog.Close()
	log := slog.New(settings.Handler())
	options, err := f.options()
	if err != nil {
		return err
	}
	library, closer, err := deps.OpenLibrary(ctx, LibraryOptions{
		Roots: f.ModelRepository, ConfigName: f.ModelConfigName,
		Follow: options.Mode != control.None,
	})
	if err != nil {
		return err
	}
	defer closer.Close()
	options.Library, options.Log = library, log
	options.LeaveMemory = true // an idle process ends in milliseconds, however many models it holds
	options.Backends = deps.Backends(options, log)
	trace, err := f.tracing()
	if err != nil {
		return err
	}
	tracer := tracing.New(trace, log)
	defer tracer.Close()
	e := engine.New(options)
	boundHeap(e.Memory())
	return run(ctx, f, e, side{log, settings, tracer})
}

// side is what stands beside the engine and can be changed while it runs.
type side struct {
	log      *slog.Logger
	settings *logging.Log
	tracer   *tracing.Tracer
}

// run serves until ctx ends or the engine does; requests are let out before models are.
func run(ctx context.Context, f *Flags, e *engine.Engine, beside side) error {
	log := beside.log
	s, err := open(f, e, beside)
	if err != nil {
		return err
	}
	engineCtx, endEngine := context.WithCancel(context.WithoutCancel(ctx))
	defer endEngine()
	ended := make(chan error, 1)
	go func() { ended <- e.Run(engineCtx) }()
	select {
	case <-ctx.Done():
		log.Info("Waiting for in-flight requests to complete.")
	case err = <-ended:
		ended <- nil
		log.Error(exitText(err))
	}
	deadline := time.Now().Add(f.exitTimeout())
	e.EndBy(deadline)
	drain, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	s.close(drain)
	endEngine()
	return errors.Join(err, <-ended)
}

// openLog writes for the workbench when it reads along, and for people otherwise.
func (f *Flags) openLog(to io.Writer) (*logging.Log, io.Closer, error) {
	setting := logging.Setting{
		File: f.LogFile, Info: f.LogInfo, Warning: f.LogWarning, Error: f.LogError, Verbose: uint32(max(f.LogVerbose, 0)),
		Format: logging.Default,
	}
	if f.LogFormat != "" {
		setting.Format = logging.Format(f.LogFormat)
	}
	closer := io.NopCloser(nil)
	if f.LogFile != "" {
		file, err := os.OpenFile(f.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, nil, fmt.Errorf("open the log: %w", err)
		}
		to, closer = file, file
	}
	if f.PrivateSocket != "" {
		return logging.Over(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}), setting), closer, nil
	}
	return logging.New(to, setting), closer, nil
}

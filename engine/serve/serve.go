package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/control"
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

// Run is the whole life of the process, until a signal, the end of the parent's pipe, or the end of ctx. An
// error is for people and means exit status 1.
func (f *Flags) Run(ctx context.Context, deps Deps) error {
	defer roomyHeap()()
	log := f.logger(deps.Stderr)
	options, err := f.options()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if f.ParentPipe {
		go func() {
			_, _ = io.Copy(io.Discard, deps.Stdin) // its end is the news, however it comes
			cancel()
		}()
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
	return run(ctx, f, engine.New(options), log)
}

// run serves until ctx ends or the engine does; requests are let out before models are.
func run(ctx context.Context, f *Flags, e *engine.Engine, log *slog.Logger) error {
	s, err := open(f, e, log)
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
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.ExitTimeout())
	defer cancel()
	s.close(drain)
	endEngine()
	return errors.Join(err, <-ended)
}

// logger writes for the workbench when it reads along, and for people otherwise.
func (f *Flags) logger(to io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.LogVerbose > 0 {
		o.Level = slog.LevelDebug
	}
	if f.PrivateSocket != "" {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}

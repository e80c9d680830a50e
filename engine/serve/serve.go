package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/cuda"
	"conch/engine/device"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/region"
	"conch/engine/kserve/tracing"
	"conch/engine/monitor"
)

// Deps are the dependencies of the process.
type Deps struct {
	// OpenModels opens the repositories that the flags name. With follow, it watches them.
	OpenModels func(ctx context.Context, o RepositoryOptions) (control.ModelSource, io.Closer, error)
	// Backends makes the list of backends. They open their libraries when they first load a model.
	Backends func(s BackendSettings, log *slog.Logger) []backend.Backend
	// GPUs starts the process that reads the GPUs.
	GPUs   device.Reader
	Stdin  io.Reader // for --parent-pipe
	Stderr io.Writer // the log
}

// RepositoryOptions are the flags that concern the repositories.
type RepositoryOptions struct {
	Roots      []string
	ConfigName string // --model-config-name; "" for config.pbtxt
	Follow     bool   // whether changes of the repository are loaded
}

// Run runs the process until ctx ends (signals end it) or the parent's pipe ends. An error is a message for people
// and means exit status 1.
func (f *Flags) Run(ctx context.Context, deps Deps) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if f.ParentPipe {
		go func() {
			_, _ = io.Copy(io.Discard, deps.Stdin) // only its end matters, not its cause
			cancel()
		}()
	}
	return bounded(ctx, f.ExitTimeout(), func(ctx context.Context) error { return f.live(ctx, deps) })
}

// monitorRest is how much later Go's monitor thread looks. Where runs of models hold all of Go's processors, all else may wait twice as long
// for one.
const monitorRest = 500 * time.Microsecond

func (f *Flags) live(ctx context.Context, deps Deps) error {
	defer roomyHeap()()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	logs, closeLog, err := f.openLog(deps.Stderr)
	if err != nil {
		return err
	}
	defer closeLog.Close()
	log := slog.New(logs.Handler())
	if err := monitor.Rest(monitorRest); err != nil {
		log.Debug("Go's monitor thread looks as often as it does elsewhere", "error", err)
	}
	s, err := f.settings(log)
	if err != nil {
		return err
	}
	if s.httpTLS, err = secure("http", f.HTTPTLS, log, "http/1.1"); err != nil {
		return err
	}
	if s.grpc.TLS, err = secure("grpc", f.GRPCTLS, log, "h2"); err != nil {
		return err
	}
	models, closer, err := deps.OpenModels(ctx, RepositoryOptions{
		Roots: f.ModelRepository, ConfigName: f.ModelConfigName,
		Follow: s.engine.Mode != control.None,
	})
	if err != nil {
		return err
	}
	defer closer.Close()
	s.engine.Models, s.engine.Log = models, log
	f.watchGPUs(ctx, deps.GPUs, &s, log)
	s.backends.Lost = func(device int, why string) {
		// What is freed at the end may end the process in CUDA's libraries, before its last words.
		log.Error("a GPU failed, and CUDA does nothing more in this process, which therefore ends", "gpu", device, "error", why)
		end(&lostGPU{device, why})
	}
	s.engine.Backends = deps.Backends(s.backends, log)
	e := engine.New(s.engine)
	tracer := tracing.New(s.trace, log, func(model string) bool {
		_, err := e.Config(model, infer.Latest)
		return err == nil
	})
	defer tracer.Close()
	boundHeap(e.Memory(), s.engine.Backends)
	var regions *region.Regions
	if f.ClientSHM {
		regions = region.New(cuda.Library, s.backends.Lost)
		defer regions.Close()
	}
	for _, shared := range []*kserve.Options{&s.http.Options, &s.grpc.Options} {
		shared.Memory, shared.Tracer, shared.Log, shared.Regions = e.Memory(), tracer, logs, regions
	}
	err = run(ctx, f, e, s)
	if lost := new(lostGPU); errors.As(context.Cause(ctx), &lost) {
		err = errors.Join(lost, err)
	}
	return err
}

// lostGPU ends a process whose use of a GPU is broken: nothing else brings it back. The next process begins with what works.
type lostGPU struct {
	device int
	why    string
}

// Error implements error.
func (l *lostGPU) Error() string {
	return fmt.Sprintf("GPU %d failed, and CUDA does nothing more in this process, which therefore ends: %s. Start it again; "+
		"a GPU that the driver has lost is left out then", l.device, strings.TrimSuffix(l.why, "."))
}

// run serves until ctx or the engine ends. It answers the running requests before it frees the
// models.
func run(ctx context.Context, f *Flags, e *engine.Engine, settings settings) error {
	s, err := open(f, e, settings)
	if err != nil {
		return err
	}
	engineCtx, endEngine := context.WithCancel(context.WithoutCancel(ctx))
	defer endEngine()
	ended := make(chan error, 1)
	go func() { ended <- e.Run(engineCtx) }()
	err = s.await(ctx, f, settings, ended)
	deadline := time.Now().Add(f.ExitTimeout())
	e.EndBy(deadline)
	drain, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	s.close(drain)
	endEngine()
	return errors.Join(err, <-ended)
}

// openLog opens the log in the workbench's format if the workbench reads it, otherwise in a format
// for people.
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"conch/app/visible"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/python"
	"conch/engine/completed"
	"conch/engine/control"
	"conch/engine/memory"
	"conch/engine/serve"
	"conch/engine/userdir"
	"conch/repo"
	"conch/repo/scan"
)

// serveCommand is `conch serve`.
type serveCommand struct {
	serve.Flags
}

// Run serves until it gets a signal to end.
func (c *serveCommand) Run(ctx context.Context) error {
	for _, p := range []portFlag{{"--http-port", c.HTTPPort}, {"--grpc-port", c.GRPCPort}, {"--metrics-port", c.MetricsPort}} {
		if err := checkPorts(p); err != nil {
			return err
		}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	go memory.GiveBackAtRest(ctx)
	c.doubt()
	return c.Flags.Run(ctx, serve.Deps{
		OpenModels: func(ctx context.Context, o serve.RepositoryOptions) (control.ModelSource, io.Closer, error) {
			l, err := openModels(ctx, o, c.warn)
			if err != nil {
				return nil, nil, err
			}
			return l, l, nil
		},
		Backends: backends,
		GPUs:     gpuReader(),
		Stdin:    os.Stdin,
		Stderr:   os.Stderr,
	})
}

// doubt warns about folders that do not look like repositories. They are served as Triton would serve
// them.
func (c *serveCommand) doubt() {
	for _, root := range c.ModelRepository {
		switch d := scan.Diagnose(root); {
		case !d.Openable() || d.Verdict == scan.Good: // the first ends the program with an error, the second needs no warning
		case d.Verdict == scan.Empty:
			c.warn(root + " is empty: there is nothing to serve yet")
		default:
			c.warn((&repo.NotARepositoryError{Diagnosis: d}).Error())
		}
	}
}

// warn warns a person. The workbench finds such problems itself.
func (c *serveCommand) warn(text string) {
	if c.PrivateSocket == "" {
		fmt.Fprintln(os.Stderr, "conch: warning: "+visible.Lines(text))
	}
}

// interpreterEnv names the Python of Python models that bring none, where no flag does.
const interpreterEnv = "CONCH_PYTHON"

// backends lists the backends that this program has.
func backends(s serve.BackendSettings, log *slog.Logger) []backend.Backend {
	programs := python.Options{
		Log: log, Dir: cacheDir("python"), OwnDir: filepath.Join(userdir.Installed(), "python"), DefaultMaxBatchSize: s.DefaultMaxBatchSize,
		Answers: completed.Usual(),
	}
	programs.ReadSettings(s.Config)
	if programs.Interpreter == "" {
		programs.Interpreter = os.Getenv(interpreterEnv)
	}
	programmed := python.New(programs)
	list := []backend.Backend{
		onnx.New(onnx.Options{
			DefaultMaxBatchSize: s.DefaultMaxBatchSize, Log: log,
			Settings: onnx.ReadSettings(s.Config), OptimizedDir: cacheDir("optimized"), GPUs: s.GPUs, Lost: s.Lost,
			Pinned: s.Pinned,
		}),
		programmed,
	}
	return append(list, based(programmed, s.Directory, log)...)
}

// ownBackends is the folder of the user's backends, in the folder for what was installed, where no flag names another.
const ownBackends = "backends"

// based returns the backends that are Python programs: those that Conch brings, and those of a folder of the user.
func based(programs *python.Backend, dir string, log *slog.Logger) (list []backend.Backend) {
	all := python.Brought()
	usual := dir == ""
	if usual {
		dir = filepath.Join(userdir.Installed(), ownBackends)
	}
	own, err := python.Programs(dir)
	if err != nil && !(usual && errors.Is(err, fs.ErrNotExist)) {
		log.Warn("the folder of backends cannot be read", "folder", dir, "error", err)
	}
	for _, program := range append(all, own...) {
		list = append(list, programs.Based(program))
	}
	return list
}

// cacheDir returns where the engine keeps what it can make again, such as models as ONNX Runtime optimized them. It is ""
// where nothing can be kept.
func cacheDir(name string) string {
	cache := userdir.Cache()
	if cache == "" {
		return ""
	}
	return filepath.Join(cache, name)
}

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"conch/app"
	"conch/app/visible"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/control"
	"conch/engine/serve"
	"conch/repo"
	"conch/repo/scan"
)

// serveCommand is `conch serve`.
type serveCommand struct {
	serve.Flags
}

// Run serves until a signal ends it.
func (c *serveCommand) Run(ctx context.Context) error {
	for _, p := range []portFlag{{"--http-port", c.HTTPPort}, {"--grpc-port", c.GRPCPort}, {"--metrics-port", c.MetricsPort}} {
		if err := checkPorts(p); err != nil {
			return err
		}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	c.doubt()
	return c.Flags.Run(ctx, serve.Deps{
		OpenLibrary: func(ctx context.Context, o serve.LibraryOptions) (control.Library, io.Closer, error) {
			l, err := openLibrary(ctx, o, c.warn)
			if err != nil {
				return nil, nil, err
			}
			return l, l, nil
		},
		Backends: backends,
		Stdin:    os.Stdin,
		Stderr:   os.Stderr,
	})
}

// doubt tells of folders that do not look like repositories. They are served as Triton would serve them.
func (c *serveCommand) doubt() {
	for _, root := range c.ModelRepository {
		switch d := scan.Diagnose(root); {
		case !d.Openable() || d.Verdict == scan.Good: // the one ends the program with an error, the other is well
		case d.Verdict == scan.Empty:
			c.warn(root + " is empty: there is nothing to serve yet")
		default:
			c.warn((&repo.NotARepositoryError{Diagnosis: d}).Error())
		}
	}
}

// warn tells a person. The workbench finds out for itself.
func (c *serveCommand) warn(text string) {
	if c.PrivateSocket == "" {
		fmt.Fprintln(os.Stderr, "conch: warning: "+visible.Lines(text))
	}
}

// backends is the list of what this program can run.
func backends(s serve.BackendSettings, log *slog.Logger) []backend.Backend {
	return []backend.Backend{
		onnx.New(onnx.Options{
			DefaultMaxBatchSize: s.DefaultMaxBatchSize, Log: log,
			Settings: onnx.ReadSettings(s.Config), OptimizedDir: optimizedDir(),
		}),
	}
}

// optimizedDir is where models are kept as ONNX Runtime optimized them: with the user's other caches, or below the data
// folder that the environment names. Without a place nothing is kept.
func optimizedDir() string {
	if dir := os.Getenv(app.DataDirEnv); dir != "" {
		return filepath.Join(dir, "optimized")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "conch", "optimized")
}

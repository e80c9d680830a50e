package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/control"
	"conch/engine/serve"
)

// serveCommand is `conch serve`.
type serveCommand struct {
	serve.Flags
}

// Run serves until a signal ends it.
func (c *serveCommand) Run(ctx context.Context) error {
	return c.Flags.Run(ctx, serve.Deps{
		OpenLibrary: func(ctx context.Context, o serve.LibraryOptions) (control.Library, io.Closer, error) {
			l, err := openLibrary(ctx, o)
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

// backends is the list of what this program can run.
func backends(o engine.Options, log *slog.Logger) []backend.Backend {
	return []backend.Backend{
		onnx.New(onnx.Options{DefaultMaxBatchSize: o.DefaultMaxBatchSize, Log: log}),
	}
}

package rpc

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"connectrpc.com/connect"

	"conch/app/answers"
	"conch/app/api/apiconnect"
	"conch/app/conversion"
	"conch/app/runtimecmd"
	"conch/app/servers"
	"conch/app/store"
	"conch/app/trial"
	"conch/app/upload"
	"conch/app/workspace"
	"conch/repo/write"
)

// maxMessage limits one message of the page: an input tensor of a few hundred megabytes.
const maxMessage = 512 << 20

// Server answers all services.
type Server struct {
	Workspace *workspace.Workspace
	Store     *store.Store
	Log       *slog.Logger
	// Examples returns the path of the user's copy of the examples.
	Examples func() (string, error)
	// Data is the folder of the workbench's own files.
	Data string
	// Servers are the named servers elsewhere.
	Servers *servers.List
	// Runtimes installs builds of ONNX Runtime.
	Runtimes runtimecmd.Program
	// Trials start engines to compare with.
	Trials trial.Engines
	// Shown is called when a page has drawn its first view; nil for nothing.
	Shown func()
	// Now is the clock.
	Now func() time.Time

	runs runs         // requests that can be stopped
	kept answers.Kept // outputs that the window reads in parts

	uploads upload.Uploads // files of models that are not made yet

	deleted deletions // what can be put back

	conversions conversion.Jobs // models that are not written yet
}

// Close removes the files of models that were not made. The handler must not be used any more.
func (s *Server) Close() error { return errors.Join(s.uploads.Close(), s.conversions.Close()) }

// Sweep removes what killed processes left. Handler comes first.
func (s *Server) Sweep() {
	s.conversions.Sweep()
	s.Trials.Sweep()
}

// Handler serves the API; paths begin with /conch.v1.
func (s *Server) Handler() http.Handler {
	s.uploads.Data = s.Data
	s.conversions.Program, s.conversions.Dir = s.Runtimes, filepath.Join(s.Data, "conversions")
	s.conversions.Stages = func(root string) write.Waiting { return upload.Waiting(s.Data, root) }
	options := []connect.HandlerOption{
		connect.WithReadMaxBytes(maxMessage),
		connect.WithCodec(binaryCodec), connect.WithCodec(jsonCodec), connect.WithCodec(charsetCodec),
		connect.WithInterceptors(&guard{log: s.Log}),
		connect.WithCompression("gzip", nil, nil), // messages never leave the machine: compressing would only cost time
		connect.WithRecover(s.recovered),
	}
	mux := http.NewServeMux()
	mux.Handle(apiconnect.NewWorkspaceServiceHandler(&workspaceService{s}, options...))
	mux.Handle(apiconnect.NewHandoverServiceHandler(&handoverService{Server: s}, options...))
	mux.Handle(apiconnect.NewConversionServiceHandler(&conversionService{s}, options...))
	mux.Handle(apiconnect.NewModelServiceHandler(&modelService{s}, options...))
	mux.Handle(apiconnect.NewEditorServiceHandler(&editorService{s}, options...))
	mux.Handle(apiconnect.NewTryServiceHandler(&tryService{s}, options...))
	mux.Handle(apiconnect.NewMetricsServiceHandler(&metricsService{s}, options...))
	mux.Handle(apiconnect.NewServerServiceHandler(&serverService{s}, options...))
	return mux
}

// recovered turns a panic into an error of that one call.
func (s *Server) recovered(_ context.Context, spec connect.Spec, _ http.Header, p any) error {
	s.Log.Error("a call panicked", "call", spec.Procedure, "panic", p, "stack", stack())
	return connect.NewError(connect.CodeInternal, errInternal)
}

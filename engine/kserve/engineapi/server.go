package engineapi

import (
	"context"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/kserve"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/refusals"
	"conch/engine/kserve/tracing"
)

// Addresses are the bound addresses of the public endpoints; "" for one that is off.
type Addresses struct {
	HTTP, GRPC, Metrics string
}

// Server answers the private calls.
type Server struct {
	enginepb.UnimplementedEngineServer
	engine    *engine.Engine
	addresses Addresses
	kept      *tracing.Kept
	refusals  *refusals.Log
	closing   chan struct{}
}

// New returns a server for an engine. kept holds the traces for TracedTensors; refused is what the public ports
// refused.
func New(e *engine.Engine, a Addresses, kept *tracing.Kept, refused *refusals.Log) *Server {
	return &Server{engine: e, addresses: a, kept: kept, refusals: refused, closing: make(chan struct{})}
}

// Register adds the server to a gRPC server.
func (s *Server) Register(to *grpc.Server) { enginepb.RegisterEngineServer(to, s) }

// Close ends every stream, so that the process can end. It is called once.
func (s *Server) Close() { close(s.closing) }

// ForceReload loads a model again, even when its files have not changed.
func (s *Server) ForceReload(ctx context.Context, r *enginepb.ForceReloadRequest) (*enginepb.ForceReloadResponse, error) {
	if err := s.engine.Load(ctx, r.Model, kserve.LoadOptions{Force: true}); err != nil {
		return nil, status.Error(kserve.GRPCCode(err), err.Error())
	}
	return &enginepb.ForceReloadResponse{}, nil
}

// StopLoad ends the loads of a model that are under way.
func (s *Server) StopLoad(ctx context.Context, r *enginepb.StopLoadRequest) (*enginepb.StopLoadResponse, error) {
	if err := s.engine.Manager().StopLoad(ctx, r.Model); err != nil {
		return nil, status.Error(kserve.GRPCCode(err), err.Error())
	}
	return &enginepb.StopLoadResponse{}, nil
}

// SetReload sets what happens in explicit mode when the files of one model change.
func (s *Server) SetReload(_ context.Context, r *enginepb.SetReloadRequest) (*enginepb.SetReloadResponse, error) {
	reload := control.Reload("")
	if r.Reload != "" {
		var err error
		if reload, err = control.ParseReload(r.Reload); err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
	}
	s.engine.Manager().SetReload(r.Model, reload)
	return &enginepb.SetReloadResponse{}, nil
}

// SetAccess sets what the engine accepts besides the repository's data.
func (s *Server) SetAccess(_ context.Context, r *enginepb.SetAccessRequest) (*enginepb.SetAccessResponse, error) {
	s.engine.Manager().SetAccess(control.Access{Overrides: r.Overrides, Code: r.Trusted, StrictGPU: r.StrictGpu})
	return &enginepb.SetAccessResponse{}, nil
}

// Restored ends the time in which the engine is not ready because the workbench still reloads the models of the
// last run.
func (s *Server) Restored(context.Context, *enginepb.RestoredRequest) (*enginepb.RestoredResponse, error) {
	s.engine.Manager().Restored()
	return &enginepb.RestoredResponse{}, nil
}

func (s *Server) describe() *enginepb.Server {
	m := s.engine.Manager()
	d := &enginepb.Server{
		Version: kserve.Version, Pid: int32(os.Getpid()),
		HttpAddress: s.addresses.HTTP, GrpcAddress: s.addresses.GRPC, MetricsAddress: s.addresses.Metrics,
		ControlMode: string(m.Mode()), Reload: string(m.Reload()), Ready: m.Started(),
	}
	for _, b := range s.engine.Backends() {
		d.Backends = append(d.Backends, b.Name())
		if t, ok := b.(backend.Troubled); ok && d.RuntimeTrouble == "" {
			d.RuntimeTrouble = t.Trouble()
		}
		if u, ok := b.(backend.LibraryUser); ok && d.RuntimeLibrary == "" {
			d.RuntimeLibrary = u.LibraryFile()
		}
		if a, ok := b.(backend.Accelerated); ok {
			d.Accelerator = a.ForAll()
		}
		if v, ok := b.(backend.Versioned); ok && d.Runtime == "" && d.RuntimeTrouble == "" {
			d.Runtime = v.Runtime()
		}
	}
	return d
}

// heartbeat is the interval of the signs of life on an idle stream.
const heartbeat = 2 * time.Second

// Package enginetest is an engine for tests. It has both of an engine's gRPC services, a model table
// in memory, and function fields with which a test changes its behaviour. It is served in process or,
// by Main, as a child process that takes the flags of `conch serve`. Only tests use it.
package enginetest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// Fake is an engine whose models load at once. The zero value has no models. Fields must be set before it is served.
type Fake struct {
	kservepb.UnimplementedGRPCInferenceServiceServer
	enginepb.UnimplementedEngineServer

	// Server is what Watch reports; Ready is set.
	Server *enginepb.Server
	// Heartbeat is how often a watcher gets a heartbeat; 0 means every two seconds.
	Heartbeat time.Duration
	// OnLoad decides a load; nil means success.
	OnLoad func(name string) error
	// OnInfer answers a request; nil echoes the inputs.
	OnInfer func(ctx context.Context, r *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error)
	// OnStream answers the requests of a stream; nil refuses them.
	OnStream func(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error
	// OnConfig returns a model's config; nil means unknown.
	OnConfig func(name string) *modelconfig.ModelConfig
	// OnMetadata describes a model; nil means unknown.
	OnMetadata func(name string) (*kservepb.ModelMetadataResponse, error)
	// OnSample answers Sample; nil means nothing happened.
	OnSample func() *enginepb.SampleResponse
	// OnRefusals answers WatchRefusals; nil refuses it.
	OnRefusals func(stream enginepb.Engine_WatchRefusalsServer) error

	mu       sync.Mutex
	models   map[string]*enginepb.Model
	watchers map[chan *enginepb.Event]bool
}

// Add adds models that are not loaded.
func (f *Fake) Add(names ...string) {
	for _, name := range names {
		f.Put(&enginepb.Model{Name: name, Backend: "onnxruntime", Runnable: true})
	}
}

// Put sets a model's state and sends it to the watchers, with the happenings if there are any.
func (f *Fake) Put(m *enginepb.Model, happenings ...*enginepb.Happening) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.models == nil {
		f.models = map[string]*enginepb.Model{}
	}
	f.models[m.Name] = m
	f.tell(&enginepb.Event{Models: []*enginepb.Model{m}})
	for _, h := range happenings {
		f.tell(&enginepb.Event{Happening: h})
	}
}

// tell needs mu. A watcher that does not read loses events; tests read at once.
func (f *Fake) tell(e *enginepb.Event) {
	for w := range f.watchers {
		select {
		case w <- e:
		default:
		}
	}
}

// Model returns a model's current state; nil when there is none.
func (f *Fake) Model(name string) *enginepb.Model {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.models[name]
}

// Watch implements enginepb.EngineServer.
func (f *Fake) Watch(_ *enginepb.WatchRequest, stream enginepb.Engine_WatchServer) error {
	events := make(chan *enginepb.Event, 1000)
	f.mu.Lock()
	all := &enginepb.Event{Reset_: true, Server: f.server()}
	for _, m := range f.models {
		all.Models = append(all.Models, m)
	}
	if f.watchers == nil {
		f.watchers = map[chan *enginepb.Event]bool{}
	}
	f.watchers[events] = true
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.watchers, events)
		f.mu.Unlock()
	}()
	beat := time.NewTicker(cmp.Or(f.Heartbeat, 2*time.Second))
	defer beat.Stop()
	for e := all; ; {
		if err := stream.Send(e); err != nil {
			return err
		}
		select {
		case <-stream.Context().Done():
			return nil
		case e = <-events:
		case <-beat.C:
			e = &enginepb.Event{Heartbeat: true}
		}
	}
}

func (f *Fake) server() *enginepb.Server {
	if f.Server != nil {
		return f.Server
	}
	return &enginepb.Server{Version: "fake", HttpAddress: "127.0.0.1:8000", GrpcAddress: "127.0.0.1:8001", ControlMode: "explicit", Reload: "on-save", Backends: []string{"onnxruntime"}, Ready: true}
}

// Sample implements enginepb.EngineServer.
func (f *Fake) Sample(context.Context, *enginepb.SampleRequest) (*enginepb.SampleResponse, error) {
	if f.OnSample != nil {
		return f.OnSample(), nil
	}
	return &enginepb.SampleResponse{TimeMs: time.Now().UnixMilli(), ResidentBytes: 50 << 20}, nil
}

// ForceReload implements enginepb.EngineServer.
func (f *Fake) ForceReload(ctx context.Context, r *enginepb.ForceReloadRequest) (*enginepb.ForceReloadResponse, error) {
	return &enginepb.ForceReloadResponse{}, f.load(r.Model, enginepb.Happening_KIND_RELOADED)
}

// RepositoryIndex implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) RepositoryIndex(context.Context, *kservepb.RepositoryIndexRequest) (*kservepb.RepositoryIndexResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := &kservepb.RepositoryIndexResponse{}
	for name := range f.models {
		out.Models = append(out.Models, &kservepb.RepositoryIndexResponse_ModelIndex{Name: name})
	}
	return out, nil
}

// RepositoryModelLoad implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) RepositoryModelLoad(_ context.Context, r *kservepb.RepositoryModelLoadRequest) (*kservepb.RepositoryModelLoadResponse, error) {
	return &kservepb.RepositoryModelLoadResponse{}, f.load(r.ModelName, enginepb.Happening_KIND_LOADED)
}

func (f *Fake) load(name string, kind enginepb.Happening_Kind) error {
	m := f.Model(name)
	if m == nil {
		return status.Errorf(codes.InvalidArgument, "failed to load '%s', failed to poll from model repository", name)
	}
	at := time.Now().UnixMilli()
	if f.OnLoad != nil {
		f.Put(&enginepb.Model{Name: name, Backend: m.Backend, Runnable: true, SinceMs: at, Versions: []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_LOADING}}})
		if err := f.OnLoad(name); err != nil {
			reason := status.Convert(err).Message()
			f.Put(&enginepb.Model{Name: name, Backend: m.Backend, Runnable: true, SinceMs: at, LoadError: reason,
				Versions: []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_UNAVAILABLE, Reason: reason}}},
				&enginepb.Happening{Kind: enginepb.Happening_KIND_LOAD_FAILED, TimeMs: at, Model: name, Reason: reason})
			return err
		}
	}
	f.Put(&enginepb.Model{Name: name, Backend: m.Backend, Runnable: true, SinceMs: at, LoadedExplicitly: true, Instances: 1,
		Versions: []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_READY}}},
		&enginepb.Happening{Kind: kind, TimeMs: at, Model: name, Version: 1, TookNs: 38_000_000})
	return nil
}

// RepositoryModelUnload implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) RepositoryModelUnload(_ context.Context, r *kservepb.RepositoryModelUnloadRequest) (*kservepb.RepositoryModelUnloadResponse, error) {
	m := f.Model(r.ModelName)
	if m == nil {
		return nil, status.Errorf(codes.NotFound, "unknown model '%s'", r.ModelName)
	}
	f.Put(&enginepb.Model{Name: m.Name, Backend: m.Backend, Runnable: true, SinceMs: time.Now().UnixMilli()},
		&enginepb.Happening{Kind: enginepb.Happening_KIND_UNLOADED, TimeMs: time.Now().UnixMilli(), Model: m.Name})
	return &kservepb.RepositoryModelUnloadResponse{}, nil
}

// ModelMetadata implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) ModelMetadata(_ context.Context, r *kservepb.ModelMetadataRequest) (*kservepb.ModelMetadataResponse, error) {
	if f.OnMetadata == nil {
		return nil, status.Errorf(codes.NotFound, "Request for unknown model: '%s' is not found", r.Name)
	}
	return f.OnMetadata(r.Name)
}

// ModelInfer implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) ModelInfer(ctx context.Context, r *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
	if f.OnInfer != nil {
		return f.OnInfer(ctx, r)
	}
	out := &kservepb.ModelInferResponse{ModelName: r.ModelName, ModelVersion: "1", RawOutputContents: slices.Clone(r.RawInputContents)}
	for _, in := range r.Inputs {
		out.Outputs = append(out.Outputs, &kservepb.ModelInferResponse_InferOutputTensor{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape})
	}
	return out, nil
}

// ModelStreamInfer implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) ModelStreamInfer(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error {
	if f.OnStream == nil {
		return status.Error(codes.Unimplemented, "no model streams")
	}
	return f.OnStream(stream)
}

// ModelConfig implements kservepb.GRPCInferenceServiceServer.
func (f *Fake) ModelConfig(_ context.Context, r *kservepb.ModelConfigRequest) (*kservepb.ModelConfigResponse, error) {
	if f.OnConfig == nil {
		return nil, status.Errorf(codes.NotFound, "Request for unknown model: '%s' is not found", r.Name)
	}
	return &kservepb.ModelConfigResponse{Config: f.OnConfig(r.Name)}, nil
}

// WatchRefusals implements enginepb.EngineServer.
func (f *Fake) WatchRefusals(r *enginepb.WatchRefusalsRequest, stream enginepb.Engine_WatchRefusalsServer) error {
	if f.OnRefusals == nil {
		return f.UnimplementedEngineServer.WatchRefusals(r, stream)
	}
	return f.OnRefusals(stream)
}

package grpcapi

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
)

// ServerMetadata describes the server.
func (s *server) ServerMetadata(context.Context, *kservepb.ServerMetadataRequest) (*kservepb.ServerMetadataResponse, error) {
	return &kservepb.ServerMetadataResponse{
		Name:       s.opts.Server.Name,
		Version:    s.opts.Server.Version,
		Extensions: kserve.Extensions(),
	}, nil
}

// ModelMetadata describes a model.
func (s *server) ModelMetadata(_ context.Context, req *kservepb.ModelMetadataRequest) (*kservepb.ModelMetadataResponse, error) {
	version, err := kserve.ParseVersion(req.GetVersion())
	if err != nil {
		return nil, statusOf(err)
	}
	meta, err := s.svc.Metadata(req.GetName(), version)
	if err != nil {
		return nil, statusOf(err)
	}
	return &kservepb.ModelMetadataResponse{
		Name:     meta.Name,
		Versions: meta.Versions,
		Platform: meta.Platform,
		Inputs:   tensors(meta.Inputs),
		Outputs:  tensors(meta.Outputs),
	}, nil
}

func tensors(described []kserve.TensorMetadata) []*kservepb.ModelMetadataResponse_TensorMetadata {
	var out []*kservepb.ModelMetadataResponse_TensorMetadata
	for _, t := range described {
		out = append(out, &kservepb.ModelMetadataResponse_TensorMetadata{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape})
	}
	return out
}

// ModelConfig returns a model's completed config.
func (s *server) ModelConfig(_ context.Context, req *kservepb.ModelConfigRequest) (*kservepb.ModelConfigResponse, error) {
	version, err := kserve.ParseVersion(req.GetVersion())
	if err != nil {
		return nil, statusOf(err)
	}
	config, err := s.svc.Config(req.GetName(), version)
	return answer(&kservepb.ModelConfigResponse{Config: config}, err)
}

// healthServer is grpc.health.v1 with only Check, as in Triton (docs/triton/grpc.md, "Service").
type healthServer struct {
	grpc_health_v1.UnimplementedHealthServer
	svc kserve.Health
}

// Check ignores the service's name.
func (h healthServer) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	serving := grpc_health_v1.HealthCheckResponse_NOT_SERVING
	if h.svc.Ready(ctx) {
		serving = grpc_health_v1.HealthCheckResponse_SERVING
	}
	return &grpc_health_v1.HealthCheckResponse{Status: serving}, nil
}

// Watch is not there. Triton's refusal has no text.
func (h healthServer) Watch(*grpc_health_v1.HealthCheckRequest, grpc_health_v1.Health_WatchServer) error {
	return status.Error(codes.Unimplemented, "")
}

// ServerLive reports whether the server is alive.
func (s *server) ServerLive(context.Context, *kservepb.ServerLiveRequest) (*kservepb.ServerLiveResponse, error) {
	return &kservepb.ServerLiveResponse{Live: s.svc.Live()}, nil
}

// ServerReady reports whether every model is ready.
func (s *server) ServerReady(ctx context.Context, _ *kservepb.ServerReadyRequest) (*kservepb.ServerReadyResponse, error) {
	return &kservepb.ServerReadyResponse{Ready: s.svc.Ready(ctx)}, nil
}

// ModelReady reports whether a model is ready; an unknown model is not (docs/triton/grpc.md,
// "Service").
func (s *server) ModelReady(ctx context.Context, req *kservepb.ModelReadyRequest) (*kservepb.ModelReadyResponse, error) {
	version, err := kserve.ParseVersion(req.GetVersion())
	if err != nil {
		return nil, statusOf(err)
	}
	ready, err := s.svc.ModelReady(ctx, req.GetName(), version)
	if err != nil && infer.CodeOf(err) != infer.NotFound {
		return nil, statusOf(err)
	}
	return &kservepb.ModelReadyResponse{Ready: ready && err == nil}, nil
}

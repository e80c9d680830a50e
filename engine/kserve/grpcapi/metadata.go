package grpcapi

import (
	"context"

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

// ModelConfig gives a model's completed config.
func (s *server) ModelConfig(_ context.Context, req *kservepb.ModelConfigRequest) (*kservepb.ModelConfigResponse, error) {
	version, err := kserve.ParseVersion(req.GetVersion())
	if err != nil {
		return nil, statusOf(err)
	}
	config, err := s.svc.Config(req.GetName(), version)
	return answer(&kservepb.ModelConfigResponse{Config: config}, err)
}

package engineapi

import (
	"context"
	"errors"

	"conch/configedit/folder"
	"conch/engine/kserve/enginepb"
	"conch/engine/placement"
)

// Place returns the devices on which a model would run if it were loaded now.
func (s *Server) Place(_ context.Context, r *enginepb.PlaceRequest) (*enginepb.PlaceResponse, error) {
	devices, err := s.engine.Manager().Place(r.Model)
	if err != nil {
		refused := &enginepb.PlaceResponse{Refused: folder.Text(err.Error())}
		if strict := new(placement.Strict); errors.As(err, &strict) {
			refused.WithoutStrict = strict.Note.Where()
		}
		return refused, nil
	}
	return &enginepb.PlaceResponse{Devices: devices}, nil
}

// FindGPUs returns the GPUs with which a load settles a config, and by what it runs otherwise.
func (s *Server) FindGPUs(_ context.Context, r *enginepb.FindGPUsRequest) (*enginepb.FindGPUsResponse, error) {
	found, strict := s.engine.Manager().FindGPUs(r.Config, r.Asked)
	return &enginepb.FindGPUsResponse{
		Gpus: found.Used, Why: folder.Text(found.Why), Strict: strict, Here: found.Here, Adapter: found.Adapter,
	}, nil
}

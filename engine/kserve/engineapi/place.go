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
	out := &enginepb.PlaceResponse{}
	for _, d := range devices {
		out.Devices = append(out.Devices, d.String())
	}
	return out, nil
}

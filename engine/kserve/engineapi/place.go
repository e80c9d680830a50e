package engineapi

import (
	"context"

	"conch/configedit/folder"
	"conch/engine/kserve/enginepb"
)

// Place returns the devices on which a model would run if it were loaded now.
func (s *Server) Place(_ context.Context, r *enginepb.PlaceRequest) (*enginepb.PlaceResponse, error) {
	devices, err := s.engine.Manager().Place(r.Model)
	if err != nil {
		return &enginepb.PlaceResponse{Refused: folder.Text(err.Error())}, nil
	}
	out := &enginepb.PlaceResponse{}
	for _, d := range devices {
		out.Devices = append(out.Devices, d.String())
	}
	return out, nil
}

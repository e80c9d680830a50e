package engineapi

import (
	"context"

	"conch/engine/kserve/enginepb"
)

// CountInFlight counts the requests inside the serving versions of a model. On demand it first waits until no request is
// in a version that does not serve any more.
func (s *Server) CountInFlight(ctx context.Context, r *enginepb.CountInFlightRequest) (*enginepb.CountInFlightResponse, error) {
	manager := s.engine.Manager()
	if r.WhenLeft {
		for _, v := range manager.Leaving(r.Model) {
			left := make(chan struct{})
			go func() { // it ends with the last request
				defer close(left)
				v.Drain()
			}()
			select {
			case <-left:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	out := &enginepb.CountInFlightResponse{Versions: map[int64]uint64{}}
	for _, v := range manager.Versions(r.Model) {
		out.Versions[v.Number] = uint64(v.InFlight())
	}
	return out, nil
}

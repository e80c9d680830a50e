package rpc

import (
	"context"
	"fmt"
	"slices"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/workspace"
)

// maxPlace limits what a page stores of the place in a repository.
const maxPlace = 256 << 10

func (s *workspaceService) GetPlace(ctx context.Context, _ *connect.Request[api.GetPlaceRequest]) (*connect.Response[api.GetPlaceResponse], error) {
	roots := s.Workspace.Repository().GetRoots()
	if len(roots) == 0 {
		return connect.NewResponse(&api.GetPlaceResponse{}), nil
	}
	place, err := s.Store.Place(ctx, workspace.KeyOf(roots))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.GetPlaceResponse{Roots: roots, Place: place}), nil
}

// KeepPlace ignores the place in a repository that was closed meanwhile.
func (s *workspaceService) KeepPlace(ctx context.Context, r *connect.Request[api.KeepPlaceRequest]) (*connect.Response[api.KeepPlaceResponse], error) {
	if len(r.Msg.Place) > maxPlace {
		return nil, invalid(fmt.Errorf("a place may have at most %d KiB", maxPlace>>10))
	}
	roots := s.Workspace.Repository().GetRoots()
	if len(roots) > 0 && slices.Equal(roots, r.Msg.Roots) {
		if err := s.Store.KeepPlace(ctx, workspace.KeyOf(roots), r.Msg.Place); err != nil {
			return nil, err
		}
	}
	return connect.NewResponse(&api.KeepPlaceResponse{}), nil
}

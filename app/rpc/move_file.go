package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/workspace"
	"conch/repo/write"
)

// MoveFile gives a file of a model another path in the model's folder. Its unsaved text goes with it.
func (s *editorService) MoveFile(_ context.Context, r *connect.Request[api.MoveFileRequest]) (*connect.Response[api.MoveFileResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	from, err := leavingOf(stay, r.Msg.Model, r.Msg.Path)
	if err != nil {
		return nil, err
	}
	if from.rel == "" {
		return nil, invalid(fmt.Errorf("no file was named"))
	}
	to, err := newPlace(stay, r.Msg.Model, r.Msg.To, false)
	if err != nil {
		return nil, err
	}
	if _, edited := stay.Draft(workspace.File{Model: r.Msg.Model, Path: r.Msg.To}); edited {
		return nil, connect.NewError(connect.CodeAlreadyExists, fmt.Errorf("%s/%s was not moved: there is unsaved text of a file %s. Save or discard it, or choose another name", r.Msg.Model, r.Msg.Path, r.Msg.To))
	}
	if err := write.MoveFile(from.path, to); err != nil {
		return nil, err
	}
	stay.MoveDraft(from.model.Scan, from.rel, r.Msg.To)
	stay.Touch(from.path, to)
	return connect.NewResponse(&api.MoveFileResponse{}), nil
}

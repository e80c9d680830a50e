package rpc

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/app/workspace"
	"conch/repo/write"
)

// MoveFile gives a file or a folder of a model another path in the model's folder. Its unsaved text goes with it.
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
	made := firstMissing(from.model, path.Dir(r.Msg.To))
	if err := write.Move(from.path, to); err != nil {
		return nil, err
	}
	stay.MoveDraft(from.model.Scan, from.rel, r.Msg.To)
	stay.Touch(from.path, to)
	return connect.NewResponse(&api.MoveFileResponse{Made: made}), nil
}

// firstMissing returns the first of the folders that lead to one of a model, or that one, that does not exist; "" for none.
func firstMissing(m *language.Model, rel string) string {
	missing := ""
	for ; rel != "." && rel != ""; rel = path.Dir(rel) {
		if _, err := os.Stat(filepath.Join(m.Scan.Dir, filepath.FromSlash(rel))); err == nil {
			break
		}
		missing = rel
	}
	return missing
}

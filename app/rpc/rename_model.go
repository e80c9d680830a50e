package rpc

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/workspace"
	"conch/engine/kserve/enginepb"
	"conch/repo/write"
)

// RenameModel writes the files that name a model, then renames its folder. If that fails, the files
// are restored.
func (s *editorService) RenameModel(ctx context.Context, r *connect.Request[api.RenameModelRequest]) (*connect.Response[api.RenameModelResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	analysis := stay.Disk()
	m, ok := analysis.Model(r.Msg.Model)
	if !ok {
		return nil, fmt.Errorf("%w: %q", workspace.ErrNoModel, r.Msg.Model)
	}
	if _, taken := analysis.Model(r.Msg.Name); taken {
		return nil, connect.NewError(connect.CodeAlreadyExists, fmt.Errorf("%q was not renamed: there is a model %q already. Choose another name", r.Msg.Model, r.Msg.Name))
	}
	if err := stay.Reach(r.Msg.Model, workspace.ThenRetry); err != nil {
		return nil, err
	}
	list, changed, err := prepare(stay, r.Msg.Files, workspace.ThenRetry)
	if err == nil && len(changed) == 0 {
		changed, err = writeAll(list)
	}
	if err != nil || len(changed) > 0 {
		return connect.NewResponse(&api.RenameModelResponse{Changed: changed}), err
	}
	touched := append(lyingAt(analysis, list), m.Scan.Dir)
	forget := stay.Expect(r.Msg.Name, workspace.Renamed)
	to, err := write.RenameModel(m.Scan.Dir, r.Msg.Name)
	if err != nil {
		forget()
		return nil, errors.Join(err, putBack(list))
	}
	failed := noteSaved(stay, list)
	stay.RenameDrafts(m.Scan, r.Msg.Name)
	stay.Touch(append(touched, to)...)
	s.renameMemory(ctx, stay, r.Msg.Model, r.Msg.Name)
	out := &api.RenameModelResponse{Files: written(list)}
	for _, f := range out.Files {
		if f.Model == r.Msg.Model {
			f.Model = r.Msg.Name
		}
	}
	return connect.NewResponse(out), failed
}

// renameMemory moves what is stored of a model to its new name.
func (s *editorService) renameMemory(ctx context.Context, stay *workspace.Stay, from, to string) {
	key := stay.Key()
	if err := s.Store.RenameModel(ctx, key, from, to); err != nil {
		s.Log.Warn("the requests and metrics of a renamed model stay under its old name", "model", from, "error", err)
	}
	set, err := s.Store.Reload(ctx, key)
	if err != nil || set[from] == "" {
		return
	}
	if err := errors.Join(s.Store.SetReload(ctx, key, to, set[from]), s.Store.SetReload(ctx, key, from, "")); err != nil {
		s.Log.Warn("the reload setting of a renamed model has its initial value again", "model", to, "error", err)
		return
	}
	if client, err := stay.Private("what happens when files change"); err == nil {
		_, _ = client.SetReload(ctx, &enginepb.SetReloadRequest{Model: to, Reload: set[from]}) // otherwise at its next start
	}
}

package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/overlay"
	"conch/app/workspace"
)

// DiscardDrafts discards unsaved texts, and returns them for RestoreDrafts.
func (s *editorService) DiscardDrafts(_ context.Context, r *connect.Request[api.DiscardDraftsRequest]) (*connect.Response[api.DiscardDraftsResponse], error) {
	gone, err := s.Workspace.Discard(r.Msg.Repository, r.Msg.Versions)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.DiscardDraftsResponse{Drafts: gone}), nil
}

// RestoreDrafts restores discarded texts, except for files that were edited since.
func (s *editorService) RestoreDrafts(_ context.Context, r *connect.Request[api.RestoreDraftsRequest]) (*connect.Response[api.RestoreDraftsResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	back := restoreIn(stay, "", r.Msg.Drafts)
	return connect.NewResponse(&api.RestoreDraftsResponse{Edited: fileNames(back.edited), Unkept: fileNames(back.unkept), Why: back.sentence()}), nil
}

// restored is what did not become an unsaved text again.
type restored struct {
	edited []*api.Draft // their files were edited since
	unkept []*api.Draft
	why    error // of the first that was not kept
}

func (r restored) sentence() string {
	if r.why == nil {
		return ""
	}
	return apimessage.Sentence(r.why.Error())
}

// restoreIn makes discarded texts unsaved ones again. One that is not kept stops none of the others. root is as in workspace.File.
func restoreIn(stay *workspace.Stay, root string, drafts []*api.Draft) (back restored) {
	for _, d := range drafts {
		_, err := stay.Edit(
			workspace.File{Root: root, Model: d.Model, Path: d.Path},
			overlay.Edit{Text: d.Text, Base: overlay.Base{Version: d.BaseVersion, Text: d.BaseText}},
		)
		var newer *overlay.NewerError
		switch {
		case errors.As(err, &newer):
			back.edited = append(back.edited, d)
		case err != nil:
			back.unkept, back.why = append(back.unkept, d), cmp.Or(back.why, err)
		}
	}
	return back
}

func fileNames(drafts []*api.Draft) (names []*api.FileName) {
	for _, d := range drafts {
		names = append(names, &api.FileName{Model: d.Model, Path: d.Path})
	}
	return names
}

// ReadDraft returns an unsaved text. It needs no file: the model's folder may be gone.
func (s *editorService) ReadDraft(_ context.Context, r *connect.Request[api.ReadDraftRequest]) (*connect.Response[api.ReadDraftResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	draft, ok := stay.Draft(workspace.File{Model: r.Msg.Model, Path: r.Msg.Path})
	if !ok {
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("%s/%s has no unsaved text any more: it was saved or discarded", r.Msg.Model, r.Msg.Path))
	}
	return connect.NewResponse(&api.ReadDraftResponse{Draft: workspace.DraftMessage(draft)}), nil
}

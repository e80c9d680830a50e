package rpc

import (
	"context"
	"fmt"
	"maps"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/store"
	"conch/app/upload"
	"conch/configedit/folder"
	"conch/repo"
	"conch/repo/scan"
)

type workspaceService struct{ *Server }

// Watch sends until a send fails. In the window only that shows that the page is closed.
func (s *workspaceService) Watch(ctx context.Context, _ *connect.Request[api.WatchRequest], out *connect.ServerStream[api.WorkspaceUpdate]) error {
	sub := s.Workspace.Subscribe()
	defer sub.Close()
	for {
		update, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		if err := out.Send(update); err != nil {
			return err
		}
	}
}

// OpenRepository opens a folder that is a repository, or could become one.
func (s *workspaceService) OpenRepository(ctx context.Context, r *connect.Request[api.OpenRepositoryRequest]) (*connect.Response[api.OpenRepositoryResponse], error) {
	if r.Msg.Path == "" {
		return nil, invalid(fmt.Errorf("no folder was named: choose the folder of a model repository, or type its path"))
	}
	return s.open(ctx, s.Workspace.Path(r.Msg.Path))
}

// OpenExamples opens the user's copy of the examples.
func (s *workspaceService) OpenExamples(ctx context.Context, _ *connect.Request[api.OpenExamplesRequest]) (*connect.Response[api.OpenRepositoryResponse], error) {
	path, err := s.Examples()
	if err != nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, err)
	}
	return s.open(ctx, path)
}

func (s *workspaceService) open(ctx context.Context, path string) (*connect.Response[api.OpenRepositoryResponse], error) {
	if d := scan.Diagnose(path); d.Verdict != scan.Good && d.Verdict != scan.Empty {
		return nil, &repo.NotARepositoryError{Diagnosis: d}
	}
	if err := s.Workspace.Open(ctx, []string{path}); err != nil {
		return nil, err
	}
	if err := upload.Clear(s.Data, path); err != nil {
		s.Log.Warn("unfinished files of new models were not removed", "error", err)
	}
	return connect.NewResponse(&api.OpenRepositoryResponse{Id: s.Workspace.Repository().GetId()}), nil
}

func (s *workspaceService) ListRecent(ctx context.Context, _ *connect.Request[api.ListRecentRequest]) (*connect.Response[api.ListRecentResponse], error) {
	list, err := s.Store.ListRecent(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.ListRecentResponse{}
	for _, r := range list {
		out.Repositories = append(out.Repositories, &api.RecentRepository{Path: folder.Name(r.Path), Opened: r.Opened.UnixMilli()})
	}
	return connect.NewResponse(out), nil
}

func (s *workspaceService) ListProblems(_ context.Context, r *connect.Request[api.ListProblemsRequest]) (*connect.Response[api.ListProblemsResponse], error) {
	seq, files := s.Workspace.Problems(r.Msg.Model)
	return connect.NewResponse(&api.ListProblemsResponse{Seq: seq, Files: files}), nil
}

// defaultLogLines is as much as a person reads.
const defaultLogLines = 500

func (s *workspaceService) ListLog(_ context.Context, r *connect.Request[api.ListLogRequest]) (*connect.Response[api.ListLogResponse], error) {
	limit := int(r.Msg.Limit)
	if limit == 0 {
		limit = defaultLogLines
	}
	out := &api.ListLogResponse{}
	for _, line := range s.Workspace.LogLines(r.Msg.Model, limit) {
		out.Lines = append(out.Lines, &api.LogLine{Time: line.Time.UnixMilli(), Level: line.Level, Model: line.Model, Text: line.Text})
	}
	return connect.NewResponse(out), nil
}

func (s *workspaceService) GetSettings(ctx context.Context, _ *connect.Request[api.GetSettingsRequest]) (*connect.Response[api.GetSettingsResponse], error) {
	values, err := s.Store.Settings(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(values, func(key, _ string) bool { return store.IsOfRepository(key) })
	return connect.NewResponse(&api.GetSettingsResponse{Values: values}), nil
}

// maxSetting limits a setting's value: settings are not for documents.
const maxSetting = 1 << 20

func (s *workspaceService) SetSettings(ctx context.Context, r *connect.Request[api.SetSettingsRequest]) (*connect.Response[api.SetSettingsResponse], error) {
	for key, value := range r.Msg.Values {
		if key == "" || len(key) > 200 || len(value) > maxSetting {
			return nil, invalid(fmt.Errorf("setting %.40q is empty or too long", key))
		}
		if store.IsOfRepository(key) {
			return nil, invalid(fmt.Errorf("setting %.40q is not one of the window", key))
		}
	}
	if err := s.Store.SetSettings(ctx, r.Msg.Values); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.SetSettingsResponse{}), nil
}

// NoteShown is called once by each page.
func (s *workspaceService) NoteShown(context.Context, *connect.Request[api.NoteShownRequest]) (*connect.Response[api.NoteShownResponse], error) {
	if s.Shown != nil {
		s.Shown()
	}
	return connect.NewResponse(&api.NoteShownResponse{}), nil
}

// RestartEngine returns at once. The workspace's updates report the progress.
func (s *workspaceService) RestartEngine(context.Context, *connect.Request[api.RestartEngineRequest]) (*connect.Response[api.RestartEngineResponse], error) {
	if err := s.Workspace.RestartEngine(); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.RestartEngineResponse{}), nil
}

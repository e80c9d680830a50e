package rpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/status"

	"conch/app/api"
	"conch/app/language"
	"conch/app/workspace"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

type modelService struct{ *Server }

// model returns the analysis of the open repository as it is on disk, and one of its models.
func (s *Server) model(name string) (*language.Analysis, *language.Model, error) {
	analysis, err := s.Workspace.OnDisk()
	if err != nil {
		return nil, nil, err
	}
	m, ok := analysis.Model(name)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %q", workspace.ErrNoModel, name)
	}
	return analysis, m, nil
}

// Load loads or reloads a model.
func (s *modelService) Load(ctx context.Context, r *connect.Request[api.LoadRequest]) (*connect.Response[api.LoadResponse], error) {
	client, err := s.Workspace.Client()
	if err != nil {
		return nil, err
	}
	if err := s.reach(r.Msg.Name); err != nil {
		return nil, err
	}
	begun := time.Now()
	if r.Msg.Force {
		_, err = client.Private.ForceReload(ctx, &enginepb.ForceReloadRequest{Model: r.Msg.Name})
	} else {
		_, err = client.KServe.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: r.Msg.Name})
	}
	if err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.LoadResponse{TookMs: float64(time.Since(begun)) / float64(time.Millisecond)}), nil
}

// reach checks that a model can be loaded from its folder. It does not make the opening of another
// repository wait for the load.
func (s *modelService) reach(model string) error {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return err
	}
	defer stay.End()
	return stay.Reach(model, workspace.ThenLoad)
}

// refusal passes on the engine's message. Whatever code the engine chose, the answer is that the model
// could not be loaded in its current state.
func refusal(err error) error {
	st := status.Convert(err)
	switch code := connect.Code(st.Code()); code {
	case connect.CodeCanceled, connect.CodeUnavailable, connect.CodeDeadlineExceeded:
		return err
	}
	return connect.NewError(connect.CodeFailedPrecondition, errors.New(st.Message()))
}

func (s *modelService) Unload(ctx context.Context, r *connect.Request[api.UnloadRequest]) (*connect.Response[api.UnloadResponse], error) {
	client, err := s.Workspace.Client()
	if err != nil {
		return nil, err
	}
	request := &kservepb.RepositoryModelUnloadRequest{ModelName: r.Msg.Name}
	if r.Msg.UnloadDependents {
		request.Parameters = map[string]*kservepb.ModelRepositoryParameter{
			"unload_dependents": {ParameterChoice: &kservepb.ModelRepositoryParameter_BoolParam{BoolParam: true}},
		}
	}
	if _, err := client.KServe.RepositoryModelUnload(ctx, request); err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.UnloadResponse{}), nil
}

// StopLoad stops a running load of a model. What serves keeps serving.
func (s *modelService) StopLoad(ctx context.Context, r *connect.Request[api.StopLoadRequest]) (*connect.Response[api.StopLoadResponse], error) {
	client, err := s.Workspace.Client()
	if err != nil {
		return nil, err
	}
	if _, err := client.Private.StopLoad(ctx, &enginepb.StopLoadRequest{Model: r.Msg.Name}); err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.StopLoadResponse{}), nil
}

// SetReload sets what happens when the files of a model change.
func (s *modelService) SetReload(ctx context.Context, r *connect.Request[api.SetReloadRequest]) (*connect.Response[api.SetReloadResponse], error) {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return nil, err
	}
	defer stay.End()
	client, err := stay.Client()
	if err != nil {
		return nil, err
	}
	if _, err := client.Private.SetReload(ctx, &enginepb.SetReloadRequest{Model: r.Msg.Name, Reload: r.Msg.Reload}); err != nil {
		return nil, refusal(err)
	}
	if err := s.Store.SetReload(ctx, stay.Key(), r.Msg.Name, r.Msg.Reload); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.SetReloadResponse{}), nil
}

// loadsAtOnce is how many loads LoadAll runs at the same time. The engine has a limit of its own, too.
const loadsAtOnce = 8

// LoadAll loads every model that this engine can run.
func (s *modelService) LoadAll(ctx context.Context, _ *connect.Request[api.LoadAllRequest]) (*connect.Response[api.LoadAllResponse], error) {
	analysis, err := s.Workspace.Analysis()
	if err != nil {
		return nil, err
	}
	client, err := s.Workspace.Client()
	if err != nil {
		return nil, err
	}
	names := s.runnable(analysis.Names())
	failures := make([]string, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	for i, name := range names {
		group.Go(func() error {
			if err := s.reach(name); err != nil {
				failures[i] = err.Error()
				return ctx.Err()
			}
			_, err := client.KServe.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: name})
			if err != nil {
				failures[i] = status.Convert(err).Message()
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := &api.LoadAllResponse{}
	for i, name := range names {
		if failures[i] == "" {
			out.Loaded = append(out.Loaded, name)
		} else {
			out.Failed = append(out.Failed, &api.LoadFailure{Name: name, Reason: failures[i]})
		}
	}
	return connect.NewResponse(out), nil
}

func (s *modelService) runnable(names []string) (out []string) {
	for _, name := range names {
		if m, ok := s.Workspace.Model(name); ok && m.State != api.ModelState_MODEL_STATE_NOT_RUNNABLE {
			out = append(out, name)
		}
	}
	return out
}

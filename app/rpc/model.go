package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// model returns the analysis of the open repository as it is on disk, and one of its models. A model
// that only the attached server has is read from what that server tells.
func (s *Server) model(name string) (*language.Analysis, *language.Model, error) {
	analysis, err := s.Workspace.OnDisk()
	if err != nil {
		return nil, nil, err
	}
	if m, ok := analysis.Model(name); ok {
		return analysis, m, nil
	}
	served := s.Workspace.Served()
	if m, ok := served.Find(name); ok {
		return served, m, nil
	}
	if _, known := s.Workspace.Model(name); known {
		return nil, nil, fmt.Errorf("%w of %q: it tells the config of a model only while a version of it is ready", workspace.ErrUnknownConfig, name)
	}
	return nil, nil, fmt.Errorf("%w: %q", workspace.ErrNoModel, name)
}

// Load loads or reloads a model.
func (s *modelService) Load(ctx context.Context, r *connect.Request[api.LoadRequest]) (*connect.Response[api.LoadResponse], error) {
	if err := s.Workspace.Permit(r.Msg.Server); err != nil {
		return nil, err
	}
	if err := s.reach(r.Msg.Name); err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := s.load(ctx, r.Msg.Name, r.Msg.Force); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.LoadResponse{TookMs: float64(time.Since(begun)) / float64(time.Millisecond)}), nil
}

// load loads a model. A remote server decides by itself whether there is something to load.
func (s *modelService) load(ctx context.Context, model string, force bool) error {
	if force {
		engine, err := s.Workspace.Private("loading again what has not changed")
		if !errors.Is(err, workspace.ErrUntold) {
			if err != nil {
				return err
			}
			if _, err = engine.ForceReload(ctx, &enginepb.ForceReloadRequest{Model: model}); err != nil {
				return refusal(err)
			}
			return nil
		}
	}
	client, err := s.Workspace.Client()
	if err != nil {
		return err
	}
	if _, err = client.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: model}); err != nil {
		return refusal(err)
	}
	return nil
}

// reach checks that a model can be loaded from its folder. It does not make the opening of another
// repository wait for the load.
func (s *modelService) reach(model string) error {
	if s.Workspace.ServedStates() != nil {
		return nil // a remote server has folders of its own
	}
	return s.reachIn("", model)
}

// reachIn is reach for the engine of this machine and one repository; "" means the open one.
func (s *modelService) reachIn(repository, model string) error {
	stay, err := s.Workspace.Stay(repository)
	if err != nil {
		return err
	}
	defer stay.End()
	return stay.Reach(model, workspace.ThenLoad)
}

// notExplicit is what Triton says of each load and unload where its flags allow none: docs/triton/loading.md, "Modes".
const notExplicit = "explicit model load / unload is not allowed"

func isNotExplicit(err error) bool {
	return strings.Contains(status.Convert(err).Message(), notExplicit)
}

// refusal passes on the engine's message. Whatever code the engine chose, the answer is that the model
// could not be loaded in its current state.
func refusal(err error) error {
	st := status.Convert(err)
	if isNotExplicit(err) {
		return connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("%s. Start the server with --model-control-mode=explicit", st.Message()))
	}
	switch code := connect.Code(st.Code()); code {
	case connect.CodeCanceled, connect.CodeUnavailable, connect.CodeDeadlineExceeded:
		return err
	}
	return connect.NewError(connect.CodeFailedPrecondition, errors.New(st.Message()))
}

func (s *modelService) Unload(ctx context.Context, r *connect.Request[api.UnloadRequest]) (*connect.Response[api.UnloadResponse], error) {
	if err := s.Workspace.Permit(r.Msg.Server); err != nil {
		return nil, err
	}
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
	if _, err := client.RepositoryModelUnload(ctx, request); err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.UnloadResponse{}), nil
}

// StopLoad stops a running load of a model. What serves keeps serving.
func (s *modelService) StopLoad(ctx context.Context, r *connect.Request[api.StopLoadRequest]) (*connect.Response[api.StopLoadResponse], error) {
	client, err := s.Workspace.Private("stopping a load")
	if err != nil {
		return nil, err
	}
	if _, err := client.StopLoad(ctx, &enginepb.StopLoadRequest{Model: r.Msg.Name}); err != nil {
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
	client, err := stay.Private("what happens when files change")
	if err != nil {
		return nil, err
	}
	if _, err := client.SetReload(ctx, &enginepb.SetReloadRequest{Model: r.Msg.Name, Reload: r.Msg.Reload}); err != nil {
		return nil, refusal(err)
	}
	if err := s.Store.SetReload(ctx, stay.Key(), r.Msg.Name, r.Msg.Reload); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.SetReloadResponse{}), nil
}

// loadsAtOnce is how many loads LoadAll runs at the same time. The engine has a limit of its own, too.
const loadsAtOnce = 8

// LoadAll loads every model that this engine can run, or that the attached server has.
func (s *modelService) LoadAll(ctx context.Context, r *connect.Request[api.LoadAllRequest]) (*connect.Response[api.LoadAllResponse], error) {
	if err := s.Workspace.Permit(r.Msg.Server); err != nil {
		return nil, err
	}
	held, err := s.asks()
	if err != nil {
		return nil, err
	}
	defer held.Release()
	names, elsewhere := held.Told()
	reach := func(string) error { return nil } // a remote server has folders of its own
	if !elsewhere {
		names, err = s.loadable()
		reach = func(model string) error { return s.reachIn(held.Repository, model) }
	}
	if err != nil {
		return nil, err
	}
	failures := make([]string, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	for i, name := range names {
		group.Go(func() error {
			if err := reach(name); err != nil {
				failures[i] = err.Error()
				return ctx.Err()
			}
			_, err := held.Client.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: name})
			if isNotExplicit(err) {
				return refusal(err) // it refuses them all
			}
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

// loadable returns the models of the repository that LoadAll loads.
func (s *modelService) loadable() (out []string, err error) {
	analysis, err := s.Workspace.Analysis()
	if err != nil {
		return nil, err
	}
	for _, name := range analysis.Names() {
		if m, ok := s.Workspace.Model(name); ok && m.State != api.ModelState_MODEL_STATE_NOT_RUNNABLE {
			out = append(out, name)
		}
	}
	return out, nil
}

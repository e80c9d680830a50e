package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// Install lets a model's load install what its offer names, and loads the model.
func (s *modelService) Install(ctx context.Context, r *connect.Request[api.InstallRequest]) (*connect.Response[api.InstallResponse], error) {
	client, err := s.Workspace.Private("installing packages")
	if err != nil {
		return nil, err
	}
	if err := s.reach(r.Msg.Model); err != nil {
		return nil, err
	}
	if _, err := client.Install(ctx, &enginepb.InstallRequest{Model: r.Msg.Model, Offer: r.Msg.Offer}); err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.InstallResponse{}), nil
}

// ListEnvironments lists what was installed for models and backends.
func (s *workspaceService) ListEnvironments(
	ctx context.Context, _ *connect.Request[api.ListEnvironmentsRequest],
) (*connect.Response[api.ListEnvironmentsResponse], error) {
	client, err := s.Workspace.Private("the installed packages")
	if err != nil {
		return nil, err
	}
	list, err := client.ListEnvironments(ctx, &enginepb.ListEnvironmentsRequest{})
	if err != nil {
		return nil, err
	}
	out := &api.ListEnvironmentsResponse{}
	for _, e := range list.Environments {
		out.Environments = append(out.Environments, &api.Environment{
			Id: e.Id, MadeFor: e.MadeFor, Packages: e.Packages, Python: e.Python, Dir: e.Dir, Bytes: e.Bytes, Made: e.MadeMs, Used: e.UsedMs, InUse: e.InUse,
		})
	}
	return connect.NewResponse(out), nil
}

// RemoveEnvironment removes what was installed, unless a process uses it.
func (s *workspaceService) RemoveEnvironment(
	ctx context.Context, r *connect.Request[api.RemoveEnvironmentRequest],
) (*connect.Response[api.RemoveEnvironmentResponse], error) {
	client, err := s.Workspace.Private("removing packages")
	if err != nil {
		return nil, err
	}
	if _, err := client.RemoveEnvironment(ctx, &enginepb.RemoveEnvironmentRequest{Id: r.Msg.Id}); err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.RemoveEnvironmentResponse{}), nil
}

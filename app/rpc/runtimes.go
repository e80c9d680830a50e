package rpc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"connectrpc.com/connect"

	"conch/app/api"
)

// ListRuntimes lists the builds of ONNX Runtime.
func (s *workspaceService) ListRuntimes(ctx context.Context, _ *connect.Request[api.ListRuntimesRequest]) (*connect.Response[api.ListRuntimesResponse], error) {
	list, err := s.Runtimes.List(ctx)
	if err != nil {
		return nil, unmet(err)
	}
	return connect.NewResponse(list), nil
}

// InstallRuntime installs a build. When the window ends the call, nothing is left of it.
func (s *workspaceService) InstallRuntime(
	ctx context.Context, r *connect.Request[api.InstallRuntimeRequest], stream *connect.ServerStream[api.InstallRuntimeResponse],
) error {
	from := r.Msg.From
	if from != "" {
		if from = s.Workspace.Path(from); !filepath.IsAbs(from) {
			return invalid(fmt.Errorf("%q is not a path from / or from ~", r.Msg.From))
		}
	}
	return unmet(s.Runtimes.Install(ctx, r.Msg.Name, from, stream.Send))
}

// ChooseRuntime chooses a build for the next start of an engine.
func (s *workspaceService) ChooseRuntime(ctx context.Context, r *connect.Request[api.ChooseRuntimeRequest]) (*connect.Response[api.ChooseRuntimeResponse], error) {
	if err := s.Runtimes.Use(ctx, r.Msg.Name); err != nil {
		return nil, unmet(err)
	}
	return connect.NewResponse(&api.ChooseRuntimeResponse{}), nil
}

// RemoveRuntime removes a build that no engine uses.
func (s *workspaceService) RemoveRuntime(ctx context.Context, r *connect.Request[api.RemoveRuntimeRequest]) (*connect.Response[api.RemoveRuntimeResponse], error) {
	text, err := s.Runtimes.Remove(ctx, r.Msg.Name)
	if err != nil {
		return nil, unmet(err)
	}
	return connect.NewResponse(&api.RemoveRuntimeResponse{Text: text}), nil
}

// unmet has the words of `conch runtime` shown as they are.
func unmet(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return connect.NewError(connect.CodeFailedPrecondition, err)
}

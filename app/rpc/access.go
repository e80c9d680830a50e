package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/store"
)

// SetAccess changes what the open repository and the clients of its engine may do.
func (s *workspaceService) SetAccess(ctx context.Context, r *connect.Request[api.SetAccessRequest]) (*connect.Response[api.SetAccessResponse], error) {
	answers := map[api.Access_Trust]store.Trust{api.Access_TRUST_TRUSTED: store.Trusted, api.Access_TRUST_NOT_TRUSTED: store.NotTrusted}
	answer, known := answers[r.Msg.Trust]
	if !known && r.Msg.Trust != api.Access_TRUST_UNSPECIFIED {
		return nil, invalid(fmt.Errorf("%d is not an answer to whether a repository is trusted", r.Msg.Trust))
	}
	err := s.Workspace.SetAccess(ctx, r.Msg.Roots, func(a *store.Access) {
		if known {
			a.Trust = answer
		}
		if r.Msg.Overrides != nil {
			a.Overrides = *r.Msg.Overrides
		}
		if r.Msg.StrictGpu != nil {
			a.StrictGPU = *r.Msg.StrictGpu
		}
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.SetAccessResponse{}), nil
}

package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/about"
	"conch/app/api"
)

// GetAbout returns what the program is.
func (s *workspaceService) GetAbout(context.Context, *connect.Request[api.GetAboutRequest]) (*connect.Response[api.GetAboutResponse], error) {
	notices, err := about.Notices()
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.GetAboutResponse{Version: about.Full(), License: about.License, Notices: notices}), nil
}

package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/convert"
	"conch/app/workspace"
)

// Analyze judges a text as it is being typed, among the repository's other models as they are on disk.
func (s *editorService) Analyze(_ context.Context, r *connect.Request[api.AnalyzeRequest]) (*connect.Response[api.AnalyzeResponse], error) {
	out := &api.AnalyzeResponse{Number: r.Msg.Number}
	if !isConfig(r.Msg.Path) {
		return connect.NewResponse(out), nil
	}
	library, m, err := s.judged(r.Msg.Model, &r.Msg.Text)
	if err != nil {
		return nil, err
	}
	own := convert.Place{Model: r.Msg.Model, Path: r.Msg.Path, File: m.Decoded().File}
	out.Diagnostics = convert.Diagnostics(own, library.Diagnose(m), workspace.Places(library))
	return connect.NewResponse(out), nil
}

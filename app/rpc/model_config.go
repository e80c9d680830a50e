package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
)

// judged returns the model whose text is in question, together with the other models as they are
// edited. Without a text it is the model on disk.
func (s *Server) judged(name string, text *string) (*language.Analysis, *language.Model, error) {
	if text == nil {
		return s.model(name)
	}
	analysis, err := s.Workspace.Analysis()
	if err != nil {
		return nil, nil, err
	}
	analysis, m := analysis.Typed(name, []byte(*text))
	return analysis, m, nil
}

// GetEffectiveConfig returns the config as Triton would run it, with what was filled in.
func (s *modelService) GetEffectiveConfig(_ context.Context, r *connect.Request[api.GetEffectiveConfigRequest]) (*connect.Response[api.GetEffectiveConfigResponse], error) {
	_, m, err := s.judged(r.Msg.Name, r.Msg.Text)
	if err != nil {
		return nil, err
	}
	text, filled := m.EffectiveText(s.Workspace.Elsewhere(r.Msg.Name, m.Effective())...)
	out := &api.GetEffectiveConfigResponse{Text: text}
	for _, f := range filled {
		out.Filled = append(out.Filled, &api.FilledField{Path: language.PathText(f.Path), Reason: f.Reason, Line: uint32(f.Line)})
	}
	return connect.NewResponse(out), nil
}

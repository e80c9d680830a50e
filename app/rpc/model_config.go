package rpc

import (
	"context"
	"slices"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
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
func (s *modelService) GetEffectiveConfig(ctx context.Context, r *connect.Request[api.GetEffectiveConfigRequest]) (*connect.Response[api.GetEffectiveConfigResponse], error) {
	_, m, err := s.judged(r.Msg.Name, r.Msg.Text)
	if err != nil {
		return nil, err
	}
	settled := s.settled(ctx, m)
	text, filled := settled.Text(s.Workspace.Elsewhere(r.Msg.Name, settled.Config)...)
	out := &api.GetEffectiveConfigResponse{Text: text}
	for _, f := range filled {
		out.Filled = append(out.Filled, &api.FilledField{Path: language.PathText(f.Path), Reason: f.Reason, Line: uint32(f.Line)})
	}
	return connect.NewResponse(out), nil
}

// settled returns the effective config with the GPUs that the server has for the model; without knowledge of them while none answers.
func (s *Server) settled(ctx context.Context, m *language.Model) language.Settled {
	if gpus, remote := s.Workspace.ServersGPUs(); remote {
		return m.SettledOn(language.GPUs{Numbers: gpus, Why: "no GPU of the server is known"})
	}
	client, err := s.Workspace.Private("which GPUs it would use")
	if err != nil {
		return m.Settled()
	}
	asks := func(g *modelconfig.ModelInstanceGroup) bool { return g.Kind == modelconfig.ModelInstanceGroup_KIND_GPU }
	found, err := client.FindGPUs(ctx, &enginepb.FindGPUsRequest{
		Config: m.Effective(), Asked: slices.ContainsFunc(m.Decoded().Config.GetInstanceGroup(), asks),
	})
	if err != nil {
		return m.Settled()
	}
	return m.SettledOn(language.GPUs{Numbers: found.Gpus, Why: found.Why, Here: found.Here, Lenient: !found.Strict, Adapter: found.Adapter})
}

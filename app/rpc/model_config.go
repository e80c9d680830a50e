package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/configedit/modelconfig"
)

// judged is the model whose text is asked about: the one on disk, or with an unsaved text.
func (s *Server) judged(name string, text *string) (*language.Library, *language.Model, error) {
	library, err := s.Workspace.Library()
	if err != nil {
		return nil, nil, err
	}
	if text != nil {
		library, m := library.With(name, []byte(*text))
		return library, m, nil
	}
	return s.model(name)
}

// among is the model whose text is asked about, judged beside other texts that are not saved.
func (s *Server) among(name, text string, others []*api.Unsaved) (*language.Library, *language.Model, error) {
	library, err := s.edited(others)
	if err != nil {
		return nil, nil, err
	}
	library, m := library.With(name, []byte(text))
	return library, m, nil
}

// edited is the repository with texts that are not saved. Variants are left out: Triton reads one only when told so.
func (s *Server) edited(texts []*api.Unsaved) (*language.Library, error) {
	library, err := s.Workspace.Library()
	if err != nil {
		return nil, err
	}
	for _, u := range texts {
		if m, known := library.Model(u.Model); known && u.Path == configPath(m) {
			library, _ = library.With(u.Model, []byte(u.Text))
		}
	}
	return library, nil
}

// GetEffectiveConfig shows the config as Triton would run it, with what was filled in.
func (s *modelService) GetEffectiveConfig(_ context.Context, r *connect.Request[api.GetEffectiveConfigRequest]) (*connect.Response[api.GetEffectiveConfigResponse], error) {
	_, m, err := s.judged(r.Msg.Name, r.Msg.Text)
	if err != nil {
		return nil, err
	}
	text := modelconfig.PrintText(m.Effective())
	printed, _ := modelconfig.Parse(language.ConfigName, text)
	out := &api.GetEffectiveConfigResponse{Text: string(text)}
	for _, f := range m.Filled() {
		line, _ := printed.File.Position(printed.FieldSpan(f.Path...).Start)
		out.Filled = append(out.Filled, &api.FilledField{Path: language.PathText(f.Path), Reason: f.Reason, Line: uint32(line)})
	}
	return connect.NewResponse(out), nil
}

package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/app/workspace"
	"conch/configedit/folder"
)

// placeholders lists the placeholders of a template.
func placeholders(a *language.Analysis, m *language.Model) []*api.Placeholder {
	var out []*api.Placeholder
	file := m.Decoded().File
	for _, gap := range a.Gaps(m) {
		from, to := apimessage.Range(file, gap.Spans[0])
		line, _ := file.Position(gap.Spans[0].Start)
		out = append(out, &api.Placeholder{
			Name: gap.Name, Fallback: gap.Default, Line: uint32(line), Text: lineText(file, line), From: from, To: to,
			Count: uint32(len(gap.Spans)), Block: gap.Block(), Suggestions: gap.Suggestions,
		})
	}
	return out
}

// FillTemplate fills a template in and judges the result.
func (s *editorService) FillTemplate(_ context.Context, r *connect.Request[api.FillTemplateRequest]) (*connect.Response[api.FillTemplateResponse], error) {
	text := string(language.Fill([]byte(r.Msg.Text), r.Msg.Values))
	out := &api.FillTemplateResponse{Text: text}
	if !folder.IsConfig(r.Msg.Path) {
		return connect.NewResponse(out), nil
	}
	analysis, m, err := s.judged(r.Msg.Model, &text)
	if err != nil {
		return nil, err
	}
	own := apimessage.Place{Model: r.Msg.Model, Path: r.Msg.Path, File: m.Decoded().File}
	out.Diagnostics = apimessage.Diagnostics(own, analysis.Diagnose(m), workspace.Places(analysis))
	return connect.NewResponse(out), nil
}

package rpc

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/app/overlay"
	"conch/app/workspace"
	"conch/configedit/folder"
)

// Analyze judges a text as it is being typed, together with the repository's other models, and returns
// its effect on the models that use it. With an edit the text is kept first, and the whole window
// shows the findings.
func (s *editorService) Analyze(_ context.Context, r *connect.Request[api.AnalyzeRequest]) (*connect.Response[api.AnalyzeResponse], error) {
	out := &api.AnalyzeResponse{Number: r.Msg.Number}
	if err := s.keep(r.Msg, out); err != nil {
		return nil, err
	}
	if out.Newer != nil || out.Gone {
		return connect.NewResponse(out), nil
	}
	if !folder.IsConfig(r.Msg.Path) {
		out.Diagnostics = s.inProgram(r.Msg)
		return connect.NewResponse(out), nil
	}
	analysis, m, err := s.judged(r.Msg.Model, &r.Msg.Text)
	if err != nil {
		return nil, err
	}
	own := apimessage.Place{Model: r.Msg.Model, Path: r.Msg.Path, File: m.Decoded().File}
	out.Diagnostics = apimessage.Diagnostics(own, analysis.Diagnose(m), workspace.Places(analysis))
	for _, h := range analysis.Hints(m) {
		out.Hints = append(out.Hints, &api.InlayHint{Offset: uint32(own.File.UTF16(h.Offset)), Text: h.Text})
	}
	out.Outline = outline(analysis, m)
	out.Dependants = dependants(analysis, r.Msg.Model)
	out.Placeholders = placeholders(analysis, m)
	return connect.NewResponse(out), nil
}

// keep makes the text of an edit the unsaved text of its file.
func (s *editorService) keep(r *api.AnalyzeRequest, out *api.AnalyzeResponse) error {
	if r.Edit == nil {
		return nil
	}
	draft, err := s.Workspace.Edit(
		workspace.File{Repository: r.Edit.Repository, Model: r.Model, Path: r.Path},
		overlay.Edit{
			Text: r.Text, Since: r.Edit.Since, By: overlay.Turn{Writer: r.Edit.Writer, Number: r.Number},
			Base: overlay.Base{Version: r.Edit.BaseVersion, Text: r.Edit.BaseText},
		},
	)
	var newer *overlay.NewerError
	var gone *overlay.GoneError
	var full *overlay.FullError
	switch {
	case errors.As(err, &newer):
		out.Newer = workspace.DraftMessage(newer.Draft)
		return nil
	case errors.As(err, &gone):
		out.Gone = true
		return nil
	case errors.As(err, &full):
		kept, _ := s.Workspace.Draft(workspace.File{Repository: r.Edit.Repository, Model: r.Model, Path: r.Path})
		out.NotKept, out.Version = apimessage.Sentence(full.Error()), kept.Version
		return nil
	}
	out.Version = draft.Version
	return err
}

// mostOutlined limits the parts of a config that are listed: nobody looks through more.
const mostOutlined = 1000

func outline(a *language.Analysis, m *language.Model) []*api.OutlineItem {
	var out []*api.OutlineItem
	file := m.Decoded().File
	symbols := a.Outline(m)
	for _, symbol := range symbols[:min(len(symbols), mostOutlined)] {
		from, to := apimessage.Range(file, symbol.Span)
		line, _ := file.Position(symbol.Span.Start)
		out = append(out, &api.OutlineItem{
			Label: symbol.Label, Detail: symbol.Detail, Depth: uint32(symbol.Depth), From: from, To: to, Line: uint32(line),
		})
	}
	return out
}

// mostDependants limits the models that are judged with every key: more would delay the answer.
const mostDependants = 16

// dependants lists the problems that a model causes in the ensembles that use it.
func dependants(a *language.Analysis, name string) []*api.FileProblems {
	var out []*api.FileProblems
	users := a.Users(name)
	for _, m := range users[:min(len(users), mostDependants)] {
		own := apimessage.Place{Model: m.Scan.Name, Path: m.ConfigFile(), File: m.Decoded().File}
		if list := a.DiagnoseUse(m, name); len(list) > 0 {
			out = append(out, &api.FileProblems{
				Model: own.Model, Path: own.Path, Diagnostics: apimessage.Diagnostics(own, list, workspace.Places(a)),
			})
		}
	}
	return out
}

// Complete lists what fits at the cursor.
func (s *editorService) Complete(_ context.Context, r *connect.Request[api.CompleteRequest]) (*connect.Response[api.CompleteResponse], error) {
	out := &api.CompleteResponse{From: r.Msg.Offset, To: r.Msg.Offset}
	if !folder.IsConfig(r.Msg.Path) {
		return connect.NewResponse(out), nil
	}
	analysis, m, err := s.judged(r.Msg.Model, &r.Msg.Text)
	if err != nil {
		return nil, err
	}
	file := m.Decoded().File
	answer := analysis.Complete(m, file.FromUTF16(int(r.Msg.Offset)))
	out.From, out.To = apimessage.Range(file, answer.Span)
	for _, item := range answer.Items {
		out.Items = append(out.Items, &api.CompletionItem{
			Label: item.Label, Kind: string(item.Kind), Detail: item.Detail, Documentation: item.Documentation, Insert: item.Insert,
		})
	}
	return connect.NewResponse(out), nil
}

// Hover explains what is under the mouse.
func (s *editorService) Hover(_ context.Context, r *connect.Request[api.HoverRequest]) (*connect.Response[api.HoverResponse], error) {
	if !folder.IsConfig(r.Msg.Path) {
		return connect.NewResponse(&api.HoverResponse{}), nil
	}
	analysis, m, err := s.judged(r.Msg.Model, &r.Msg.Text)
	if err != nil {
		return nil, err
	}
	file := m.Decoded().File
	help, found := analysis.Hover(m, file.FromUTF16(int(r.Msg.Offset)))
	if !found {
		return connect.NewResponse(&api.HoverResponse{}), nil
	}
	from, to := apimessage.Range(file, help.Span)
	return connect.NewResponse(&api.HoverResponse{Found: true, From: from, To: to, Title: help.Title, Documentation: help.Documentation}), nil
}

// Format formats a text. A text that cannot be parsed is refused, with the place of the mistake.
func (s *editorService) Format(_ context.Context, r *connect.Request[api.FormatRequest]) (*connect.Response[api.FormatResponse], error) {
	text, err := language.Format([]byte(r.Msg.Text))
	if err != nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, err)
	}
	return connect.NewResponse(&api.FormatResponse{Text: string(text)}), nil
}

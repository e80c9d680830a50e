package rpc

import (
	"context"
	"strings"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/convert"
	"conch/app/language"
	"conch/configedit/diag"
	"conch/configedit/names"
	"conch/configedit/text"
	"conch/repo/write"
)

// FindName tells what the name at an offset stands for, and where else it stands.
func (s *editorService) FindName(_ context.Context, r *connect.Request[api.FindNameRequest]) (*connect.Response[api.FindNameResponse], error) {
	if !isConfig(r.Msg.Path) {
		return connect.NewResponse(&api.FindNameResponse{}), nil
	}
	library, m, err := s.among(r.Msg.Model, r.Msg.Text, r.Msg.Others)
	if err != nil {
		return nil, err
	}
	file := m.Decoded().File
	name, found := library.NameAt(m, file.FromUTF16(int(r.Msg.Offset)))
	if !found {
		return connect.NewResponse(&api.FindNameResponse{}), nil
	}
	out := &api.FindNameResponse{Found: true, Title: name.Subject.String(), Name: name.Text}
	out.From, out.To = convert.Range(file, name.Span)
	if err := library.Fixed(name.Subject); err != nil {
		out.Fixed = convert.Sentence(err.Error())
	}
	out.Places = places(library, name.Subject, r.Msg)
	return connect.NewResponse(out), nil
}

// places are those of a subject. What no config defines is defined by the model's file: its config as a whole stands
// for it.
func places(l *language.Library, subject names.Subject, asked *api.FindNameRequest) []*api.NamePlace {
	var out []*api.NamePlace
	defined := false
	for _, p := range l.Places(subject) {
		m, ok := l.Model(p.Model)
		if !ok {
			continue
		}
		at := namePlace(m, p.Span)
		if p.Model == asked.Model {
			at.Path = asked.Path
		}
		at.Role, at.Definition = convert.Sentence(p.Role), p.Definition
		defined = defined || p.Definition
		out = append(out, at)
	}
	if m, ok := l.Model(subject.Model); ok && !defined {
		at := namePlace(m, diag.Span{})
		at.Definition, at.Role = true, "The model itself"
		if subject.Tensor != "" {
			at.Role = "The model file says it"
		}
		out = append([]*api.NamePlace{at}, out...)
	}
	return out
}

func namePlace(m *language.Model, span diag.Span) *api.NamePlace {
	file := m.Decoded().File
	line, _ := file.Position(span.Start)
	from, to := convert.Range(file, span)
	return &api.NamePlace{
		Model: m.Scan.Name, Path: configPath(m), From: from, To: to, Line: uint32(line), Text: lineText(file, line),
	}
}

func configPath(m *language.Model) string {
	if path := m.ConfigFile(); path != "" {
		return path
	}
	return language.ConfigName
}

// longestLine bounds what is shown of a line.
const longestLine = 300

func lineText(file *text.File, line int) string {
	words := strings.TrimSpace(file.Slice(file.LineSpan(line)))
	return strings.ToValidUTF8(words[:min(len(words), longestLine)], "")
}

// PlanRename works out what giving a tensor another name would write.
func (s *editorService) PlanRename(_ context.Context, r *connect.Request[api.PlanRenameRequest]) (*connect.Response[api.PlanRenameResponse], error) {
	library, m, err := s.among(r.Msg.Model, r.Msg.Text, r.Msg.Others)
	if err != nil {
		return nil, err
	}
	name, found := library.NameAt(m, m.Decoded().File.FromUTF16(int(r.Msg.Offset)))
	if !found || !isConfig(r.Msg.Path) {
		return connect.NewResponse(&api.PlanRenameResponse{Problem: "There is no name of a tensor here."}), nil
	}
	plan, err := library.Rename(name.Subject, r.Msg.Name)
	if err != nil {
		return connect.NewResponse(&api.PlanRenameResponse{Problem: convert.Sentence(err.Error())}), nil
	}
	disk, err := s.Workspace.Library()
	if err != nil {
		return nil, err
	}
	out := &api.PlanRenameResponse{Warning: plan.Warning}
	for _, edits := range byModel(plan.Edits) {
		m, ok := library.Model(edits[0].Model)
		if !ok {
			continue
		}
		file := planned(m, edits)
		if file.Model == r.Msg.Model {
			file.Path = r.Msg.Path
		}
		if saved, ok := disk.Model(file.Model); ok {
			file.Version = write.VersionOf(saved.Text(), time.Time{}).Hash
			file.Unsaved = string(saved.Text()) != string(m.Text())
		}
		out.Files = append(out.Files, file)
	}
	return connect.NewResponse(out), nil
}

// byModel parts edits, which come model by model.
func byModel(list []names.ModelEdit) [][]names.ModelEdit {
	var parts [][]names.ModelEdit
	for i, e := range list {
		if i == 0 || list[i-1].Model != e.Model {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], e)
	}
	return parts
}

// planned is a config with edits, which are in the order of the text, and the lines that change.
func planned(m *language.Model, edits []names.ModelEdit) *api.PlannedFile {
	before := m.Decoded().File
	var b strings.Builder
	end := 0
	for _, e := range edits {
		b.WriteString(before.Slice(diag.Span{Start: end, End: e.Span.Start}) + e.New)
		end = e.Span.End
	}
	b.WriteString(before.Slice(diag.Span{Start: end, End: before.Len()}))
	out := &api.PlannedFile{Model: m.Scan.Name, Path: configPath(m), Text: b.String()}
	after := text.NewFile(before.Name(), []byte(out.Text))
	shown := 0
	for _, e := range edits {
		line, _ := before.Position(e.Span.Start)
		if line != shown {
			shown = line
			out.Lines = append(out.Lines, &api.PlannedLine{Line: uint32(line), Before: lineText(before, line), After: lineText(after, line)})
		}
	}
	return out
}

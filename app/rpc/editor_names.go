package rpc

import (
	"context"
	"path"
	"strings"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/app/workspace"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/names"
	"conch/configedit/text"
	"conch/repo/write"
)

// FindName returns what the name at an offset means, and its other places.
func (s *editorService) FindName(_ context.Context, r *connect.Request[api.FindNameRequest]) (*connect.Response[api.FindNameResponse], error) {
	if !folder.IsConfig(r.Msg.Path) {
		return connect.NewResponse(&api.FindNameResponse{}), nil
	}
	asked, err := s.asked(r.Msg)
	if err != nil {
		return nil, err
	}
	name, found := asked.name(r.Msg.Offset)
	if !found {
		return connect.NewResponse(&api.FindNameResponse{}), nil
	}
	out := &api.FindNameResponse{Found: true, Title: name.Subject.String(), Name: name.Text}
	out.From, out.To = apimessage.Range(asked.model.Decoded().File, name.Span)
	if err := asked.analysis.Fixed(name.Subject); err != nil {
		out.Fixed = apimessage.Sentence(err.Error())
	}
	out.Places = places(asked, name.Subject)
	return connect.NewResponse(out), nil
}

// question is a text in question, together with the others.
type question struct {
	// analysis has the configs as they are edited.
	analysis *language.Analysis
	// model has the text in question, which may be a variant. around is the analysis with it.
	model  *language.Model
	around *language.Analysis
}

// asking is a request about a text.
type asking interface {
	GetModel() string
	GetPath() string
	GetText() string
}

func (s *Server) asked(r asking) (question, error) {
	text := r.GetText()
	analysis, m, err := s.judged(r.GetModel(), &text)
	if err != nil {
		return question{}, err
	}
	q := question{analysis: analysis, around: analysis, model: m}
	if path.Dir(r.GetPath()) != folder.Variants {
		return q, nil
	}
	edited, err := s.Workspace.Analysis()
	if err != nil {
		return question{}, err
	}
	q.analysis = edited.WithVariant(r.GetModel()+"/"+r.GetPath(), []byte(text))
	return q, nil
}

func (q question) name(offset uint32) (names.Name, bool) {
	return q.around.NameAt(q.model, q.model.Decoded().File.FromUTF16(int(offset)))
}

// places lists the places of a subject. A name that no config defines is defined by the model's file:
// its config as a whole is the place.
func places(q question, subject names.Subject) []*api.NamePlace {
	var out []*api.NamePlace
	defined := false
	for _, use := range q.analysis.Places(subject) {
		at := namePlace(use.In, use.Path, use.Span)
		at.Role, at.Definition = apimessage.Sentence(use.Role), use.Definition
		defined = defined || use.Definition
		out = append(out, at)
	}
	if m, ok := q.analysis.Model(subject.Model); ok && !defined {
		at := namePlace(m, m.ConfigPath(), diag.Span{})
		at.Definition, at.Role = true, "The model itself"
		if subject.Tensor != "" {
			at.Role = "Declared by the model file"
		}
		out = append([]*api.NamePlace{at}, out...)
	}
	return out
}

func namePlace(m *language.Model, path string, span diag.Span) *api.NamePlace {
	file := m.Decoded().File
	line, _ := file.Position(span.Start)
	from, to := apimessage.Range(file, span)
	return &api.NamePlace{
		Model: m.Scan.Name, Path: path, From: from, To: to, Line: uint32(line), Text: lineText(file, line),
	}
}

// longestLine limits what is shown of a line.
const longestLine = 300

func lineText(file *text.File, line int) string {
	words := strings.TrimSpace(file.Slice(file.LineSpan(line)))
	return strings.ToValidUTF8(words[:min(len(words), longestLine)], "")
}

// Tensors that are found: as many as a list shows, and as a person looks through.
const (
	tensorsFound     = 20
	mostTensorsFound = 200
)

// FindTensors searches the tensors of all models by their names.
func (s *editorService) FindTensors(_ context.Context, r *connect.Request[api.FindTensorsRequest]) (*connect.Response[api.FindTensorsResponse], error) {
	analysis, err := s.Workspace.Analysis()
	if err != nil {
		return nil, err
	}
	limit := min(int(r.Msg.Limit), mostTensorsFound)
	if limit == 0 {
		limit = tensorsFound
	}
	out := &api.FindTensorsResponse{}
	for _, t := range analysis.FindTensors(r.Msg.Text, limit) {
		found := &api.FoundTensor{
			Model: t.Subject.Model, Name: t.Subject.Tensor, Title: t.Subject.String(), Detail: t.Detail, Path: t.In.ConfigPath(),
		}
		found.From, found.To = apimessage.Range(t.In.Decoded().File, t.Span)
		out.Tensors = append(out.Tensors, found)
	}
	return connect.NewResponse(out), nil
}

// PlanRename plans what a rename of a model or tensor would write.
func (s *editorService) PlanRename(_ context.Context, r *connect.Request[api.PlanRenameRequest]) (*connect.Response[api.PlanRenameResponse], error) {
	stay, err := s.Workspace.Stay("") // all reads are of one repository
	if err != nil {
		return nil, err
	}
	defer stay.End()
	q, subject, err := s.renamed(r.Msg)
	if err != nil {
		return nil, err
	}
	if subject == (names.Subject{}) {
		return connect.NewResponse(&api.PlanRenameResponse{Problem: "There is no name of a model or tensor here."}), nil
	}
	renaming, err := q.analysis.Rename(subject, r.Msg.Name)
	if err == nil && subject.Tensor == "" {
		err = write.CheckModelName(r.Msg.Name)
	}
	for i := 0; err == nil && i < len(renaming.Files); i++ {
		err = stay.Reach(renaming.Files[i].Model.Scan.Name, workspace.ThenRetry)
	}
	if err != nil {
		return connect.NewResponse(&api.PlanRenameResponse{Problem: apimessage.Sentence(err.Error())}), nil
	}
	disk := stay.Disk()
	out := &api.PlanRenameResponse{Warning: renaming.Warning}
	if subject.Tensor == "" {
		out.Folder = subject.Model
	}
	for _, f := range renaming.Files {
		file := planned(f)
		saved, there := onDisk(disk, f)
		if there {
			file.Version = write.VersionOf(saved, time.Time{}).Hash
		}
		if draft, edited := stay.Draft(workspace.File{Model: file.Model, Path: file.Path}); edited {
			file.DraftVersion, file.Version = draft.Version, draft.Base.Version
		}
		file.Unsaved = string(saved) != string(f.Model.Text())
		out.Files = append(out.Files, file)
	}
	return connect.NewResponse(out), nil
}

// renamed returns what a request wants to rename; no subject where there is no name.
func (s *editorService) renamed(r *api.PlanRenameRequest) (question, names.Subject, error) {
	if r.WholeModel {
		analysis, err := s.Workspace.Analysis()
		return question{analysis: analysis}, names.Subject{Model: r.Model}, err
	}
	q, err := s.asked(r)
	if err != nil || !folder.IsConfig(r.Path) {
		return q, names.Subject{}, err
	}
	name, _ := q.name(r.Offset)
	return q, name.Subject, nil
}

// onDisk returns the text of a config as it was scanned; false when there is none.
func onDisk(disk *language.Analysis, f language.RenamedFile) ([]byte, bool) {
	m, ok := disk.Model(f.Model.Scan.Name)
	if !ok {
		return nil, false
	}
	for _, v := range m.Scan.Variants {
		if f.Path == v.File() {
			return v.Text, true
		}
	}
	return m.Text(), m.Scan.ConfigPath != ""
}

// planned returns a config with its edits made, and the lines that change.
func planned(f language.RenamedFile) *api.PlannedFile {
	before := f.Model.Decoded().File
	out := &api.PlannedFile{Model: f.Model.Scan.Name, Path: f.Path, Text: f.Text()}
	after := text.NewFile(before.Name(), []byte(out.Text))
	shown := 0
	for _, e := range f.Edits {
		line, _ := before.Position(e.Span.Start)
		if line != shown {
			shown = line
			out.Lines = append(out.Lines, &api.PlannedLine{Line: uint32(line), Before: lineText(before, line), After: lineText(after, line)})
		}
	}
	return out
}

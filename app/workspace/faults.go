package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/traceback"
	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/rule"
	"conch/engine/kserve/enginepb"
	"conch/repo/scan"
)

// faults are the errors that Python programs of a model raised last, as the engine told them; "" for none.
type faults struct{ load, request string }

// noteLoads takes note of how the loads of models ended. It needs Workspace.mu.
func (s *openRepository) noteLoads(names []string, c *change) {
	for _, name := range names {
		m := s.running.models[name]
		state, reason := StateOf(m)
		switch state {
		case api.ModelState_MODEL_STATE_LOADING:
			continue // what was known stays until the load ends
		case api.ModelState_MODEL_STATE_FAILED, api.ModelState_MODEL_STATE_OLDER_SERVES, api.ModelState_MODEL_STATE_DIED:
		default:
			reason = ""
		}
		f := s.faults[name]
		s.setFaults(name, faults{load: reason, request: f.request}, c)
	}
}

// forgetRequest forgets the failed request of a model that was loaded again, or unloaded. It needs Workspace.mu.
func (s *openRepository) forgetRequest(h *enginepb.Happening, c *change) {
	switch h.GetKind() {
	case enginepb.Happening_KIND_LOADED, enginepb.Happening_KIND_RELOADED, enginepb.Happening_KIND_UNLOADED:
		s.setFaults(h.Model, faults{load: s.faults[h.Model].load}, c)
	}
}

// NoteRequest takes note of how a request to a model ended. err is "" when it succeeded. An error that names no line of a program takes
// the place of the one before, whose problem says that it is of the last request.
func (u *Stay) NoteRequest(model, err string) {
	u.s.apply(func(c *change) []string {
		e, ok := traceback.Read(err)
		if !ok {
			return u.s.setFaults(model, faults{load: u.s.faults[model].load, request: err}, c)
		}
		owner := model // of an ensemble the step has failed
		if at, found := u.s.placed(model, e.Places); found {
			owner = at.model
		}
		return u.s.setFaults(owner, faults{load: u.s.faults[owner].load, request: err}, c)
	})
}

// setFaults changes what is known of a model, and its problems. It returns the models whose summary may change.
func (s *openRepository) setFaults(name string, f faults, c *change) []string {
	if s.faults[name] == f {
		return nil
	}
	if s.faults == nil {
		s.faults = map[string]faults{}
	}
	s.faults[name] = f
	s.showProblems(name, c)
	return []string{name}
}

// showProblems joins the problems of a model's files with the errors of its program.
func (s *openRepository) showProblems(name string, c *change) {
	s.w.world.setProblems(name, s.problemsOf(name), c)
}

// problemsOf returns the problems of a model's files: those that were found in them, and the errors that its program raised. A module
// that Python cannot read is in doubt, since another one of its name may be imported; what a load said of it takes the doubt's place.
func (s *openRepository) problemsOf(name string) []*api.FileProblems {
	raised := s.raised(name)
	var found []*api.FileProblems
	for _, f := range s.checking.known[name].problems {
		if s.doubted(name, f.Path) && slices.ContainsFunc(raised, func(r *api.FileProblems) bool { return r.Path == f.Path && r.Diagnostics[0].Code == rule.PY3.ID }) {
			rest := slices.DeleteFunc(slices.Clone(f.Diagnostics), func(d *api.Diagnostic) bool { return d.Code == rule.PY3.ID })
			if len(rest) == 0 {
				continue
			}
			f = proto.Clone(f).(*api.FileProblems)
			f.Diagnostics = rest
		}
		found = append(found, f)
	}
	return append(found, raised...)
}

// raised returns the errors of a model's program as problems of its files.
func (s *openRepository) raised(name string) []*api.FileProblems {
	var out []*api.FileProblems
	add := func(text, when string, severity api.Diagnostic_Severity) {
		e, ok := traceback.Read(text)
		if !ok {
			if d := s.ended(name, text, when); d != nil {
				out = append(out, d)
			}
			return
		}
		at, found := s.placed(name, e.Places)
		if !found || at.model != name || e.Unread && s.unread(name, at.path) {
			return
		}
		d := &api.Diagnostic{
			Severity: severity, Message: e.Message + " (" + when + ")", Triton: e.Message, Line: uint32(at.line), Column: 1,
			Related: s.callers(name, e.Places[at.index+1:]), Follows: s.told(name, e),
		}
		if e.Unread && s.doubted(name, at.path) {
			d.Code, d.Follows = rule.PY3.ID, false
		}
		out = append(out, &api.FileProblems{Model: name, Path: at.path, Diagnostics: []*api.Diagnostic{d}})
	}
	add(s.faults[name].load, "the last load", api.Diagnostic_SEVERITY_ERROR)
	add(s.faults[name].request, "the last request", api.Diagnostic_SEVERITY_WARNING)
	return out
}

// ended returns the end of a model's process as a problem of its program, for no line of it is known; nil for another error.
func (s *openRepository) ended(name, text, when string) *api.FileProblems {
	const dead = "is not healthy. "
	_, why, ok := strings.Cut(text, dead)
	m, known := s.disk.Model(name)
	if !ok || !known || !strings.HasPrefix(text, "Stub process '"+name+"_") {
		return nil
	}
	path, found := fileNamed(m.Scan, backends.PythonProgram.File)
	if !found {
		return nil
	}
	return &api.FileProblems{Model: name, Path: path, Diagnostics: []*api.Diagnostic{{
		Severity: api.Diagnostic_SEVERITY_WARNING, Message: why + " (" + when + ")", Triton: text, Line: 1, Column: 1,
	}}}
}

// unread reports whether a file is known to be a program that Python cannot read. Its last load then says the same again.
func (s *openRepository) unread(name, path string) bool {
	return s.refused(name, path, api.Diagnostic_SEVERITY_ERROR)
}

// doubted reports whether a file is known to be a module that Python cannot read, if it is this one that the program imports.
func (s *openRepository) doubted(name, path string) bool {
	return s.refused(name, path, api.Diagnostic_SEVERITY_WARNING)
}

func (s *openRepository) refused(name, path string, severity api.Diagnostic_Severity) bool {
	return slices.ContainsFunc(s.checking.known[name].problems, func(f *api.FileProblems) bool {
		return f.Path == path && slices.ContainsFunc(f.Diagnostics, func(d *api.Diagnostic) bool {
			return d.Code == rule.PY3.ID && d.Severity == severity
		})
	})
}

// told reports whether a problem of the config says the same: a mistake counts once. Of a program that Python cannot read, the releases
// of Python tell one mistake in different words.
func (s *openRepository) told(name string, e traceback.Error) bool {
	return slices.ContainsFunc(s.checking.known[name].problems, func(f *api.FileProblems) bool {
		return slices.ContainsFunc(f.Diagnostics, func(d *api.Diagnostic) bool {
			return d.Triton != "" && strings.HasSuffix(d.Triton, e.Message) || e.Unread && d.Code == rule.PY3.ID
		})
	})
}

// mostCallers limits the callers that are told: a recursion has hundreds.
const mostCallers = 8

func (s *openRepository) callers(name string, places []traceback.Place) []*api.Related {
	var out []*api.Related
	for _, p := range places {
		at, ok := s.place(name, p)
		if ok && len(out) < mostCallers {
			out = append(out, &api.Related{Model: at.model, Path: at.path, Line: uint32(p.Line), Message: fmt.Sprintf("called in %s", p.Name)})
		}
	}
	return out
}

// programLine is a line of a file of a model.
type programLine struct {
	model, path string
	line, index int // index is that of the place
}

// placed returns the innermost place that lies in a model's folder.
func (s *openRepository) placed(model string, places []traceback.Place) (programLine, bool) {
	for i, p := range places {
		if at, ok := s.place(model, p); ok {
			at.index = i
			return at, true
		}
	}
	return programLine{}, false
}

// place finds a place in the folders of the models. A name without a folder is that of a file of the given model.
func (s *openRepository) place(model string, p traceback.Place) (programLine, bool) {
	if !filepath.IsAbs(p.File) {
		m, ok := s.disk.Model(model)
		if !ok {
			return programLine{}, false
		}
		path, ok := fileNamed(m.Scan, p.File)
		return programLine{model: model, path: path, line: p.Line}, ok
	}
	for _, root := range s.disk.Index.Roots {
		for _, base := range uniq([]string{root.Path, s.real[root.Path]}) {
			rel, err := filepath.Rel(base, p.File)
			if base == "" || err != nil || !filepath.IsLocal(rel) {
				continue
			}
			name, path, inside := strings.Cut(filepath.ToSlash(rel), "/")
			name = folder.Name(name)
			if m, ok := s.disk.Model(name); ok && inside && m.Scan.Dir == filepath.Join(root.Path, folder.Raw(name)) {
				return programLine{model: name, path: folder.Name(path), line: p.Line}, true
			}
		}
	}
	return programLine{}, false
}

// fileNamed returns the file of a model with a name: of the newest version that has one, else of the model's folder.
func fileNamed(m *scan.Model, name string) (string, bool) {
	for _, v := range slices.Backward(m.Versions) {
		if v.Has(name) {
			return filepath.Base(v.Dir) + "/" + name, true
		}
	}
	return "", false
}

// InProgram returns the problems of a file of a model that is not its config: those that were found in it, and the errors that it raised.
func (w *Workspace) InProgram(model, path string) []*api.Diagnostic {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*api.Diagnostic
	if w.open == nil {
		return nil
	}
	for _, f := range w.open.problemsOf(model) {
		if f.Path != path {
			continue
		}
		for _, d := range f.Diagnostics {
			out = append(out, proto.Clone(d).(*api.Diagnostic)) // the caller moves them to other lines
		}
	}
	return out
}

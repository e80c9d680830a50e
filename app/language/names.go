package language

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/mend"
	"conch/configedit/modelfolder"
	"conch/configedit/names"
)

// NameAt returns the name of a model or tensor at a byte offset of the model's text.
func (a *Analysis) NameAt(m *Model, offset int) (names.Name, bool) {
	return names.At(m.subject(), offset, env{a})
}

// Fixed returns why a name cannot be changed; nil when it can.
func (a *Analysis) Fixed(s names.Subject) error { return names.Fixed(s, env{a}) }

// Use is a place that names something.
type Use struct {
	names.Place
	// In is the model with the text that has the place. Path is that text's file, relative to the
	// model's folder.
	In   *Model
	Path string
}

// Places lists every place in the repository that names the subject: in the main configs, then in
// their variants.
func (a *Analysis) Places(s names.Subject) []Use {
	var uses []Use
	for _, p := range names.Places(s, env{a}) {
		if m, ok := a.Model(p.Model); ok {
			uses = append(uses, Use{Place: p, In: m, Path: m.ConfigPath()})
		}
	}
	for _, v := range a.variants(s) {
		for _, p := range names.PlacesIn(v.model.subject(), s, env{v.analysis}) {
			uses = append(uses, Use{Place: p, In: v.model, Path: v.path})
		}
	}
	return uses
}

// Renaming is what a rename writes.
type Renaming struct {
	Files []RenamedFile
	// Warning says which places are not changed; "" when all are.
	Warning string
}

// RenamedFile is one file with the name, and its edits in the order of the text.
type RenamedFile struct {
	Model *Model
	Path  string
	Edits []names.ModelEdit
}

// Text returns the config with its edits made.
func (f RenamedFile) Text() string {
	edits := make([]diag.Edit, len(f.Edits))
	for i, e := range f.Edits {
		edits[i] = e.Edit
	}
	return mend.Apply(string(f.Model.Decoded().File.Text()), edits)
}

// Rename plans to rename a model or tensor in all configs that use it.
func (a *Analysis) Rename(s names.Subject, to string) (Renaming, error) {
	renaming, err := names.Rename(s, to, env{a})
	if err != nil {
		return Renaming{}, err
	}
	out := Renaming{Warning: renaming.Warning}
	for _, e := range renaming.Edits {
		if last := len(out.Files) - 1; last >= 0 && out.Files[last].Model.Scan.Name == e.Model {
			out.Files[last].Edits = append(out.Files[last].Edits, e)
		} else if m, ok := a.Model(e.Model); ok {
			out.Files = append(out.Files, RenamedFile{Model: m, Path: m.ConfigPath(), Edits: []names.ModelEdit{e}})
		}
	}
	for _, v := range a.variants(s) {
		if edits := names.RenameIn(v.model.subject(), s, to, env{v.analysis}); len(edits) > 0 {
			out.Files = append(out.Files, RenamedFile{Model: v.model, Path: v.path, Edits: edits})
		}
	}
	if s.Tensor == "" {
		out.Warning = strings.TrimSpace(out.Warning + " " + a.callers(s.Model))
	}
	return out, nil
}

// variant is a model with a text of its configs folder in place of its main config.
type variant struct {
	analysis *Analysis
	model    *Model
	path     string
}

// variants lists the other configs that may have the name.
func (a *Analysis) variants(s names.Subject) []variant {
	var found []variant
	name := s.Tensor
	if name == "" {
		name = s.Model
	}
	for _, in := range a.names {
		for _, v := range a.models[in].Scan.Variants {
			file := v.File()
			text, typed := a.unsaved[in+"/"+file]
			if !typed {
				text = v.Text
			}
			if v.Err != nil && !typed || !bytes.Contains(text, []byte(name)) {
				continue
			}
			with, m := a.With(in, text)
			found = append(found, variant{analysis: with, model: m, path: file})
		}
	}
	return found
}

// Python files are read up to a size that people write, and up to a number that is read quickly.
const (
	mostPython  = 1 << 20
	mostScripts = 500
)

// callers names the Python models that may send requests to a model: they have its name in quotes.
func (a *Analysis) callers(name string) string {
	var files []string
	looked := 0
	for _, in := range a.names {
		scan := a.models[in].Scan
		for _, v := range scan.Versions {
			for _, f := range v.Files {
				if path.Ext(f.Path) != ".py" || looked == mostScripts {
					continue
				}
				looked++
				rel := filepath.Base(v.Dir) + "/" + f.Path
				text := modelfolder.Folder(folder.Dir(scan.Dir), scan.Dir).Read(rel, mostPython)
				if bytes.Contains(text, []byte(`"`+name+`"`)) || bytes.Contains(text, []byte("'"+name+"'")) {
					files = append(files, in+"/"+rel)
				}
			}
		}
	}
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf("Python code uses the name too and is not changed: %s.", strings.Join(files, ", "))
}

// ConfigPath returns where the config is, or would be.
func (m *Model) ConfigPath() string {
	if file := m.ConfigFile(); file != "" {
		return file
	}
	return ConfigName
}

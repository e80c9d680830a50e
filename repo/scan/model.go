package scan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// entry is what one direct entry of a root turned out to be: a model, a stray
// or, if all are nil, nothing worth showing.
type entry struct {
	model *Model
	stray *Stray
	// problem concerns the whole root.
	problem *Problem
}

// readEntry looks at one direct entry of a root.
func (s *Scanner) readEntry(root, name string, budget *layout.Budget) entry {
	w := &walker{ctx: s.context(), fsys: s.fsys(root), root: root, budget: budget}
	info, err := fs.Lstat(w.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return entry{}
	}
	if err != nil {
		w.explain(name, err, 0)
		return brokenEntry(w, name)
	}
	it, ok := w.look(".", fs.FileInfoToDirEntry(info))
	switch {
	case !ok:
		return entry{}
	case it.info == nil:
		return brokenEntry(w, name)
	case !it.folder():
		return fileEntry(w, name)
	case layout.NoiseDir(name):
		return strayEntry(w, name, StrayTooling,
			"belongs to a tool, not to a model; Triton Inference Server takes every folder for a model and would refuse to start: keep it out of the repository, for example with the models in a folder of their own")
	}
	return s.readFolder(w, name)
}

func strayEntry(w *walker, name string, kind StrayKind, why string) entry {
	return entry{stray: &Stray{Root: w.root, Name: name, Path: w.abs(name), Kind: kind, Why: why}}
}

func fileEntry(w *walker, name string) entry {
	if layout.NoiseFile(name) {
		return entry{}
	}
	return strayEntry(w, name, StrayFile, "is a file; models are folders, so Triton skips it")
}

func brokenEntry(w *walker, name string) entry {
	problem := w.problems[0]
	e := strayEntry(w, name, StrayBroken, problem.What)
	problem.What += "; until then Triton cannot list this repository at all"
	e.problem = &problem
	return e
}

// readFolder decides whether a folder is a model, and reads it if so.
func (s *Scanner) readFolder(w *walker, name string) entry {
	items, err := w.list(name)
	if err == nil && len(items) == 0 {
		return strayEntry(w, name, StrayEmpty,
			"is an empty folder; Triton would take it for a model and refuse to start: delete it, or give it a version folder such as 1/ with the model file")
	}
	if err == nil && !slices.ContainsFunc(items, w.marksModel) {
		return strayEntry(w, name, StrayFolder,
			"has no config.pbtxt, no version folder and no model file, so it is not shown as a model; Triton would take it for one and refuse to start: move it out of the repository")
	}
	b := &builder{scanner: s, w: w, model: &Model{Name: folder.Name(name), Root: w.root, Dir: w.abs(name)}}
	if err != nil {
		w.explain(name, err, 0)
	}
	return entry{model: b.build(items)}
}

// marksModel reports whether an entry of a folder makes the folder a model. A folder with a model file in it that is almost
// called like a version, such as v1, does: its name is what is wrong.
func (w *walker) marksModel(it item) bool {
	switch {
	case it.name == layout.ConfigFile || layout.IsModelFile(it.name):
		return true
	case !it.folder():
		return false
	case folder.Reserved(it.name) || !folder.HasNonDigit(it.name):
		return true
	}
	return folder.MeantAsVersion(it.name) && w.holdsModelFile(it.path)
}

// holdsModelFile reports whether one of the entries of a folder looks like a model file. What cannot be listed has none.
func (w *walker) holdsModelFile(dir string) bool {
	entries, _ := fs.ReadDir(w.fsys, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return layout.IsModelFile(e.Name()) })
}

// builder fills in a Model from the entries of its folder.
type builder struct {
	scanner *Scanner
	w       *walker
	model   *Model
	// sloppy are the versions of folders such as 1abc.
	sloppy []int64
}

func (b *builder) build(items []item) *Model {
	m := b.model
	for _, it := range items {
		b.add(it)
	}
	b.addSloppy()
	slices.SortFunc(m.Other, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	slices.SortFunc(m.Versions, func(x, y Version) int { return cmp.Compare(x.Number, y.Number) })
	m.Problems = b.w.problems
	sum := newFingerprint()
	for _, e := range m.Entries {
		sum.add(e.Name + " " + e.Fingerprint)
	}
	m.Fingerprint = sum.String()
	return m
}

// addSloppy adds the versions for which there is only a folder such as 1abc. Their files are looked for in a folder that
// does not exist (docs/triton/repository.md, "Version folders").
func (b *builder) addSloppy() {
	for _, number := range b.sloppy {
		if _, known := b.model.Version(number); !known {
			dir := filepath.Join(b.model.Dir, folder.VersionDir(number))
			b.model.Versions = append(b.model.Versions, Version{Number: number, Dir: dir})
		}
	}
}

// add files one entry of the model folder.
func (b *builder) add(it item) {
	if layout.ShadowsConfig(it.name) {
		b.w.problem(ConfigShadow, it.path, "keeps Triton from noticing any change of this model (\"Duplicate model config is detected\"): rename it")
	}
	switch {
	case it.info == nil:
		sum := newFingerprint()
		sum.broken(it.name, it.code)
		b.entry(it, sum)
		b.brokenConfig(it)
	case it.folder():
		b.folder(it)
	default:
		b.file(it)
	}
}

func (b *builder) entry(it item, sum fingerprint) string {
	text := sum.String()
	b.model.Entries = append(b.model.Entries, Entry{Name: it.name, Folder: it.folder(), Fingerprint: text})
	return text
}

func (b *builder) file(it item) {
	sum := newFingerprint()
	sum.file(it.name, it.info)
	if it.name == layout.ConfigFile {
		b.config(it, sum)
		return
	}
	b.entry(it, sum)
	f := fileOf(it.name, it)
	b.model.Other = append(b.model.Other, f)
	if layout.LooksLikeLabels(it.name) {
		b.model.LabelFiles = append(b.model.LabelFiles, f)
	}
}

// config reads config.pbtxt. Its content goes into the fingerprint as well:
// two saves within one tick of the file system's clock differ only there.
func (b *builder) config(it item, sum fingerprint) {
	m := b.model
	m.ConfigPath = b.w.abs(it.path)
	m.ConfigText, m.ConfigErr = b.scanner.readText(b.w, it)
	sum.text(m.ConfigText)
	m.ConfigFingerprint = b.entry(it, sum)
	if m.ConfigErr != nil {
		b.configProblem(it)
	}
}

func (b *builder) configProblem(it item) {
	code := Unreadable
	if it.info.Mode().IsRegular() && it.info.Size() > b.scanner.maxText() {
		code = ConfigTooLarge
	}
	b.w.problems = append(b.w.problems, Problem{Code: code, Path: b.model.ConfigPath, What: b.model.ConfigErr.Error()})
}

// brokenConfig notes a config that is there but cannot be looked at. A link to nowhere is none: Triton asks the
// system whether the file exists, and goes on without a config.
func (b *builder) brokenConfig(it item) {
	if it.name != layout.ConfigFile {
		return
	}
	m := b.model
	m.ConfigFingerprint = m.Entries[len(m.Entries)-1].Fingerprint
	if it.code == DanglingLink {
		return
	}
	m.ConfigPath = b.w.abs(it.path)
	m.ConfigErr = fmt.Errorf("%s", b.w.problems[len(b.w.problems)-1].What)
}

func (b *builder) folder(it item) {
	m := b.model
	m.Subdirs = append(m.Subdirs, it.name)
	if layout.NoiseDir(it.name) || b.w.loops(it) {
		return
	}
	t := b.w.tree(it)
	if it.name == folder.Variants {
		b.variants(it, t)
	}
	for _, below := range t.unlisted {
		m.Unlisted = append(m.Unlisted, path.Join(it.name, below))
	}
	sum := b.entry(it, t.sum)
	number, kind := folder.ParseVersion(it.name)
	switch kind {
	case folder.PlainVersion:
		m.Versions = append(m.Versions, Version{Number: number, Dir: b.w.abs(it.path), Files: t.files, Folders: t.folders, Fingerprint: sum, repeats: t.repeats})
		return
	case folder.SloppyVersion:
		b.sloppy = append(b.sloppy, number)
	}
	if it.name == layout.ConfigFile {
		m.ConfigPath, m.ConfigFingerprint = b.w.abs(it.path), sum
		m.ConfigErr = fmt.Errorf("%s is a folder, not a file: rename it", m.ConfigPath)
		b.configProblem(it)
	} else if why := kind.Explain(); why != "" {
		m.OddVersionDirs = append(m.OddVersionDirs, OddDir{Name: it.name, Dir: b.w.abs(it.path), Why: why})
	}
	m.repeats = append(m.repeats, t.repeats.below(it.name)...)
	for _, f := range t.files {
		f.Path = path.Join(it.name, f.Path)
		m.Other = append(m.Other, f)
	}
}

// variants reads the configs that --model-config-name can choose.
func (b *builder) variants(dir item, t tree) {
	for _, f := range t.files {
		name, ok := layout.VariantName(f.Path)
		if !ok || strings.Contains(f.Path, "/") {
			continue
		}
		v := Variant{Name: name, Path: b.w.abs(path.Join(dir.path, f.Path))}
		it := item{name: f.Path, path: path.Join(dir.path, f.Path)}
		if it.info, v.Err = fs.Stat(b.w.fsys, it.path); v.Err == nil {
			v.Text, v.Err = b.scanner.readText(b.w, it)
		}
		t.sum.text(v.Text)
		b.model.Variants = append(b.model.Variants, v)
	}
}

// readText reads a config, unless it is too large or no plain file: opening a
// pipe would wait for ever.
func (s *Scanner) readText(w *walker, it item) ([]byte, error) {
	name := w.abs(it.path)
	if !it.info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s cannot be read: %w", name, folder.Special(it.info.Mode()))
	}
	if it.info.Size() > s.maxText() {
		return nil, fmt.Errorf("%s has %d bytes and is not read: Conch reads configs of up to %d bytes. Put large data, such as labels, into files of their own", name, it.info.Size(), s.maxText())
	}
	f, err := w.fsys.Open(it.path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %s", name, reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, s.maxText()))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %s", name, reason(err))
	}
	return text, nil
}

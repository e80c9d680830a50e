package handover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"conch/app/handover/pack"
	"conch/app/language"
	"conch/configedit/reach"
	"conch/repo/layout"
	"conch/repo/scan"
)

// inModel is what Triton replaces by the model's folder in the path of a Python environment (docs/triton/python.md).
const inModel = "$$TRITON_MODEL_DIRECTORY"

// environment finds Python environments that the server would not have: those that only Conch uses, and those that
// lie elsewhere.
func (p *plan) environment(m *language.Model) []Problem {
	if _, program := reach.Program(m.Effective()); !program {
		return nil
	}
	at := m.Effective().GetParameters()[reach.Environment].GetStringValue()
	switch {
	case at == "" && p.opts.Pack != "":
		return p.cannotPack(m)
	case at == "":
		return p.unpacked(m)
	case !strings.HasPrefix(at, inModel) && p.movesFiles():
		return p.of(m, fmt.Sprintf("its Python environment is %s, which is a path of this machine, and Conch packs no environment that a config names. "+
			"Put an archive of it into the model's folder, such as one that conda-pack makes of a conda environment, and write %s as %s/%s", at, reach.Environment, inModel, pack.Name))
	}
	return nil // `conch check` tells when it is not there
}

// unpacked finds the environments that Conch uses without being told, and Triton does not.
func (p *plan) unpacked(m *language.Model) []Problem {
	const way = "; pack it with the export (\"Pack Python environments\" in the window, --pack-environments in the terminal), or name an environment that you packed as " + reach.Environment
	source, found := pack.Find(m.Scan.Dir)
	switch {
	case !found:
		return nil
	case source.Folder != "":
		return p.of(m, "its packages are in "+pack.Folder+", which Triton does not use"+way)
	}
	return p.of(m, "its packages are listed in "+source.Of()+", which Triton does not install"+way)
}

// cannotPack finds the environments that would not run once they are packed.
func (p *plan) cannotPack(m *language.Model) []Problem {
	source, found := pack.Find(m.Scan.Dir)
	if !found {
		return nil
	}
	if trouble := source.Trouble(p.opts.image()); trouble != "" {
		return p.of(m, "its Python environment would not run there: "+trouble)
	}
	return nil
}

// environments are those that can be packed.
func (p *plan) environments() (list []Environment) {
	for _, m := range p.models {
		if !bringsOwn(m) {
			continue
		}
		if source, found := pack.Find(m.Scan.Dir); found {
			list = append(list, Environment{m.Scan.Name, source})
		}
	}
	return list
}

// bringsOwn reports whether a model is a Python program whose config names no environment.
func bringsOwn(m *language.Model) bool {
	_, program := reach.Program(m.Effective())
	return program && m.Effective().GetParameters()[reach.Environment].GetStringValue() == ""
}

// bare are the Python models that have no environment at all: not named, not in a folder, not as a list.
func (p *plan) bare() (names []string) {
	for _, m := range p.models {
		if !bringsOwn(m) {
			continue
		}
		if _, found := pack.Find(m.Scan.Dir); !found {
			names = append(names, m.Scan.Name)
		}
	}
	return names
}

// modelBytes is what the files of all models take.
func (p *plan) modelBytes() (sum int64) {
	add := func(files []scan.File) {
		for _, f := range files {
			sum += f.Size
		}
	}
	for _, m := range p.models {
		add(m.Scan.Other)
		for _, v := range m.Scan.Versions {
			add(v.Files)
		}
	}
	return sum
}

func (p *plan) of(m *language.Model, text string) []Problem {
	return []Problem{{Model: m.Scan.Name, Path: m.Scan.Dir, Text: text}}
}

// outsideFiles finds what a config names by a path that is not in the repository.
func (p *plan) outsideFiles(m *language.Model) (list []Problem) {
	for _, file := range reach.Outside(m.Effective()) {
		if strings.Contains(file.Field, reach.Environment) || !leaves(file.Path) {
			continue
		}
		list = append(list, p.of(m, fmt.Sprintf("%s names %s, which is not in the repository and so is not where the server runs; move it into the model's folder, or put it into the image", file.Field, file.Path))...)
	}
	return list
}

// leaves reports whether a path that begins in a folder of a model's leads out of the repository. The deepest such folder is
// two levels below it.
func leaves(file string) bool {
	const folder = "model/version"
	return path.IsAbs(file) || filepath.IsAbs(file) || strings.HasPrefix(path.Join(folder, file), "..")
}

// links finds links that lead out of the repository, and for an object store every link: it has none.
func (p *plan) links(ctx context.Context) ([]Problem, error) {
	var list []Problem
	for _, root := range p.index.Roots {
		real, err := filepath.EvalSymlinks(root.Path)
		if err != nil {
			return nil, fmt.Errorf("find the repository: %w", err)
		}
		err = filepath.WalkDir(real, p.linkFinder(ctx, walked{root.Path, real}, &list))
		if err != nil {
			return nil, fmt.Errorf("look for links in %s: %w", root.Path, err)
		}
	}
	return list, nil
}

// walked is a repository by the path that a person gave and by the one that its links lead to.
type walked struct{ shown, real string }

// show returns a path below real as a person knows it.
func (w walked) show(file string) string {
	rel, err := filepath.Rel(w.real, file)
	if err != nil {
		return file
	}
	return filepath.Join(w.shown, rel)
}

// errTooMany ends a walk that meets more entries than any repository has.
var errTooMany = errors.New("the repository has more than a million entries")

func (p *plan) linkFinder(ctx context.Context, root walked, list *[]Problem) fs.WalkDirFunc {
	seen := 0
	return func(file string, d fs.DirEntry, err error) error {
		if seen++; seen > layout.MaxAll {
			return errTooMany
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if d.IsDir() && (layout.NoiseDir(d.Name()) || d.Name() == pack.Folder && p.opts.Pack == "" || d.Name() == "bin" && filepath.Base(filepath.Dir(file)) == pack.Folder) {
			return filepath.SkipDir
		}
		if d.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		if text := p.linkTrouble(root.real, file); text != "" {
			*list = append(*list, Problem{Model: p.modelOf(root.show(file)), Path: root.show(file), Text: text})
		}
		return nil
	}
}

// linkTrouble says what is wrong with a link; "" when it works where the server runs.
func (p *plan) linkTrouble(root, file string) string {
	end, err := filepath.EvalSymlinks(file)
	switch {
	case err != nil:
		return "the link leads nowhere; put the file here, or remove the link"
	case !layout.Below(root, end) && p.opts.Pack != "":
		return "the link leads out of the repository, to " + end + ", and the copy would hold what is there; put the file itself here"
	case p.opts.Pack != "":
		return "" // the copy holds the file itself
	case !layout.Below(root, end):
		return "the link leads out of the repository, to " + end + ", which is not where the server runs; put the file itself here"
	case p.storage.object != "":
		return "it is a link, and an object store has no links: check that what uploads the repository copies the file"
	}
	return ""
}

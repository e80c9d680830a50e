package model

import (
	"path/filepath"
	"strings"

	"conch/configedit/folder"
	"conch/engine/infer"
)

// allowOutside is the way out for who needs files from outside of a model's folder.
const allowOutside = "Put the file into the model's folder, or start `conch serve` with --allow-external-paths."

// files finds the files that a model's config names.
type files struct {
	source   Source
	external bool // also outside of the model's folder
}

// path is where a file lies, below one of the model's folders. A path that leads out of the model's folder is refused, and
// so is a link that leads out of the repository; Triton takes both.
func (f files) path(below, name string) (string, error) {
	src := f.source
	rel := filepath.Join(below, filepath.FromSlash(name))
	path := filepath.Join(src.Dir, rel)
	if f.external {
		return path, nil
	}
	if folder.Outside(filepath.ToSlash(below + "/" + name)) {
		return "", infer.Errorf(infer.InvalidArg, "the file '%s' that the config of model '%s' names is outside of the model's folder. %s", name, src.Name, allowOutside)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || within(real, src.Dir) || src.Root != "" && within(real, src.Root) {
		return path, nil // one that is not there is told by who opens it
	}
	return "", infer.Errorf(infer.InvalidArg, "the file %s of model '%s' is a link to %s, outside of the repository. %s", rel, src.Name, real, allowOutside)
}

// within says whether a path without links lies in a folder.
func within(path, dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && strings.HasPrefix(path, strings.TrimSuffix(real, string(filepath.Separator))+string(filepath.Separator))
}

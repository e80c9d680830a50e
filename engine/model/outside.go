package model

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// allowOutside tells users what to do when a model needs files outside of its folder.
const allowOutside = "Put the file into the model's folder, or start `conch serve` with --allow-external-paths."

// files finds the files that a model's config names.
type files struct {
	source   Source
	external bool // files outside of the model's folder are permitted
}

// read reads a file below one of the model's folders.
func (f files) read(below, name string) ([]byte, error) {
	path, err := f.path(below, name)
	if err != nil {
		return nil, err
	}
	data, err := readFile(path)
	if err != nil {
		return nil, infer.Errorf(infer.Internal, "failed to open text file for read %s: %v", path, cause(err))
	}
	return data, nil
}

// path returns the path of a file below one of the model's folders. It refuses a path that leads out of the model's folder,
// and a link that leads out of the repository; Triton accepts both.
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
		return path, nil // opening a missing file fails later, with its own error
	}
	return "", infer.Errorf(infer.InvalidArg, "the file %s of model '%s' is a link to %s, outside of the repository. %s", rel, src.Name, real, allowOutside)
}

// allow refuses a config that names files outside of the model's folder. It runs before other checks look at those files,
// so that a refusal does not tell which files exist elsewhere.
func (f files) allow(cfg *modelconfig.ModelConfig) error {
	for _, sample := range cfg.ModelWarmup {
		if sample.BatchSize == 0 {
			continue // Triton skips it
		}
		for _, name := range slices.Sorted(maps.Keys(sample.Inputs)) {
			if err := f.allowFile(folder.Warmup, sample.Inputs[name].GetInputDataFile()); err != nil {
				return err
			}
		}
	}
	for _, s := range cfg.GetSequenceBatching().GetState() {
		for _, initial := range s.InitialState {
			if err := f.allowFile(folder.InitialState, initial.GetDataFile()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f files) allowFile(below, name string) error {
	if name == "" {
		return nil
	}
	_, err := f.path(below, name)
	return err
}

// within reports whether a path without links is in a folder.
func within(path, dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && strings.HasPrefix(path, strings.TrimSuffix(real, string(filepath.Separator))+string(filepath.Separator))
}

package upload

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"conch/app/language"
	"conch/configedit/backends"
	"conch/repo/layout"
)

// The bounds of a whole folder.
const (
	maxFolderFiles = 2000
	maxDepth       = 8
	maxConfig      = 4 << 20
)

// Name returns what the model may be called: as the folder that is sent, or else as the model file.
func (u *Upload) Name(file string) string {
	if u.folder != "" {
		return strings.TrimSuffix(u.folder, path.Ext(backends.SavedModel.File))
	}
	return strings.TrimSuffix(file, path.Ext(file))
}

// most is how many files there may be.
func (u *Upload) most() int {
	if u.folder != "" {
		return maxFolderFiles
	}
	return maxFiles
}

// place is where a file goes in the model's folder.
func (u *Upload) place(file string) string {
	if u.folder != "" {
		return file
	}
	return path.Join(version, file)
}

// isPath reports whether a path may be that of a file in a model's folder.
func isPath(file string) bool {
	parts := strings.Split(file, "/")
	return len(parts) <= maxDepth && !slices.ContainsFunc(parts, func(part string) bool { return !isName(part) })
}

// isNoise reports whether a path leads into a folder, or to a file, of another program.
func isNoise(file string) bool {
	parts := strings.Split(file, "/")
	folders, name := parts[:len(parts)-1], parts[len(parts)-1]
	return slices.ContainsFunc(folders, layout.NoiseDir) || layout.NoiseFile(name)
}

// draftFolder says what a whole folder would become: what its config says, or else what its newest model
// file says. main is the model file, where the config was made from it.
func (u *Upload) draftFolder() (begin language.Beginning, main string, err error) {
	if u.isLoose() {
		return u.draftOf(u.bare())
	}
	if u.hasConfig() {
		config, err := u.config()
		return language.BeginWith(config), "", err
	}
	dir, names := u.newest()
	if dir == "" {
		begin, known, err := language.BeginFromFolder(u.folder, u.stage.FS())
		if err != nil {
			return begin, "", unfitError{err}
		}
		if known {
			return begin, "", nil
		}
		return begin, "", unfitError{fmt.Errorf(
			"%s is not a model's folder: it has neither %s nor a version folder such as 1 with a file, and it is neither a saved model of TensorFlow nor a checkpoint of a T5. To open a whole repository, choose its name above, then Open another repository",
			u.folder, layout.ConfigFile)}
	}
	file, err := mainOf(names)
	if err != nil {
		return begin, "", unfitError{err}
	}
	main = path.Join(dir, file)
	f, err := u.stage.Open(main)
	if err != nil {
		return begin, "", err
	}
	defer func() { _ = f.Close() }()
	begin, err = language.BeginFrom(file, f, u.sizes[main])
	if err != nil {
		return begin, "", unfitError{err}
	}
	return begin, main, nil
}

// bare lists the files of a folder that holds files alone, as a model was exported: they are as files that are sent without a folder.
// It is empty for any other folder.
func (u *Upload) bare() []string {
	files := slices.Sorted(maps.Keys(u.sizes))
	if u.folder == "" || slices.ContainsFunc(files, func(file string) bool { return strings.Contains(file, "/") }) {
		return nil
	}
	return files
}

// isLoose reports whether the files are taken for a model file and what belongs to it, not for a model's folder.
func (u *Upload) isLoose() bool {
	if u.folder == "" {
		return true
	}
	bare := u.bare()
	_, several := mainOf(bare)
	return slices.ContainsFunc(bare, isModelFile) && (several == nil || !u.hasConfig())
}

// besideConfig reports whether a file that was sent with a model file belongs in the model's folder itself: there Triton looks for
// the config and for label files (docs/triton/repository.md, "Labels"), and Conch for the packages of a Python model. All else, such
// as weights, is looked for beside the model file, and a Python program has its texts there.
func besideConfig(file string, backend backends.Backend) bool {
	if file == layout.ConfigFile || file == "requirements.txt" {
		return true
	}
	return strings.EqualFold(path.Ext(file), ".txt") && backend.Name != backends.Python
}

// arrivals lists where each file is, and where it will be in the model's folder. main is the model file, "" where a config was
// sent.
func (u *Upload) arrivals(main string, begin language.Beginning) (list []move) {
	first := u.isLoose()
	in, model, _ := strings.Cut(main, "/")
	for _, file := range slices.Sorted(maps.Keys(u.sizes)) {
		to := file
		if dir, name, deep := strings.Cut(file, "/"); first {
			if !besideConfig(file, begin.Backend) {
				to = path.Join(version, nameOf(file, main, begin))
			}
		} else if deep && main != "" && dir == in {
			to = path.Join(dir, nameOf(name, model, begin))
		}
		list = append(list, move{u.place(file), to})
	}
	return list
}

// hasConfig reports whether a config was sent.
func (u *Upload) hasConfig() bool {
	_, has := u.sizes[layout.ConfigFile]
	return has
}

// config reads the config that was sent.
func (u *Upload) config() ([]byte, error) {
	if u.sizes[layout.ConfigFile] > maxConfig {
		return nil, unfitError{fmt.Errorf("%s is larger than %d MiB", layout.ConfigFile, maxConfig>>20)}
	}
	f, err := u.stage.Open(u.place(layout.ConfigFile))
	if err != nil {
		return nil, err
	}
	config, err := io.ReadAll(f)
	return config, errors.Join(err, f.Close())
}

var savedModel = path.Join(backends.SavedModel.File, backends.SavedModel.Inside)

// newest returns the version folder with the highest number that has files, and the files in it. Of folders in it, only that of a
// saved model counts.
func (u *Upload) newest() (dir string, names []string) {
	var highest uint64
	for _, file := range slices.Sorted(maps.Keys(u.sizes)) {
		in, name, _ := strings.Cut(file, "/")
		if strings.Contains(name, "/") && name != savedModel {
			continue
		}
		number, err := strconv.ParseUint(in, 10, 63)
		switch {
		case err != nil || dir != "" && number < highest:
			continue
		case in != dir:
			dir, highest, names = in, number, nil
		}
		names = append(names, name)
	}
	return dir, names
}

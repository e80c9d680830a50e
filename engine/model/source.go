package model

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"conch/configedit/derive"
)

// Source is the folder that a model is loaded from, and its config.
type Source struct {
	Name string // the folder's name
	// Namespace is the repository, where names are only looked up in it; "" otherwise.
	Namespace string
	Dir       string // absolute
	Root      string // the repository's folder; "" where there is none
	// ConfigPath is the file that ConfigText was read from; "" when the model has none.
	ConfigPath string
	ConfigText []byte
	// Override is a config as JSON that stands in for the file's; "" for none.
	Override string
}

// VersionDir is one version's folder.
type VersionDir struct {
	Number int64
	Dir    string
}

// firstFolder lists the folder in which Triton looks for a model file when a config names no
// backend (docs/triton/completion.md, "Backend and platform"); nil when there is no folder.
func firstFolder(dir string) ([]derive.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, e := range entries {
		if isDir(dir, e) {
			folders = append(folders, e.Name())
		}
	}
	first := derive.FirstFolder(folders)
	if first == "" {
		return nil, nil
	}
	return listFolder(filepath.Join(dir, first))
}

func listFolder(dir string) ([]derive.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := make([]derive.File, 0, len(entries))
	for _, e := range entries {
		files = append(files, derive.File{Name: e.Name(), Dir: isDir(dir, e)})
	}
	slices.SortFunc(files, func(a, b derive.File) int { return cmp.Compare(a.Name, b.Name) })
	return files, nil
}

// isDir follows links, as Triton's stat does.
func isDir(dir string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

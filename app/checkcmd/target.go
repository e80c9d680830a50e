package checkcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"conch/app/language"
	"conch/configedit/folder"
	"conch/repo/scan"
)

// targets are the paths that a person gave, by kind.
type targets struct {
	roots []string
	// models are the only folders that are judged in a root. A root that is not in it is judged whole.
	models map[string][]string
	files  []string
}

func sortPaths(paths []string, as Files) (*targets, error) {
	t := &targets{models: map[string][]string{}}
	whole := map[string]bool{}
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", path, err)
		}
		if info, err := os.Stat(abs); err == nil && info.Mode().IsRegular() {
			if as != FilesInFolders || !t.inFolder(abs) {
				t.files = append(t.files, abs)
			}
			continue
		}
		switch d := scan.Diagnose(path); {
		case d.Verdict == scan.Inner && d.Suggestion == filepath.Dir(abs):
			t.models[d.Suggestion] = append(t.models[d.Suggestion], abs)
		case !d.Openable() || d.Verdict == scan.Outer || d.Verdict == scan.Inner:
			return nil, errors.New(sentence(d))
		default:
			whole[abs] = true
			t.roots = append(t.roots, path)
		}
	}
	for root := range t.models {
		if whole[root] {
			delete(t.models, root)
			continue
		}
		t.roots = append(t.roots, root)
	}
	return t, nil
}

// inFolder takes a config as its model's folder. It returns false where that folder has no versions.
func (t *targets) inFolder(file string) bool {
	dir := filepath.Dir(file)
	root := filepath.Dir(dir)
	if filepath.Base(file) != language.ConfigName || !hasVersion(dir) || scan.Diagnose(dir).Suggestion != root {
		return false
	}
	t.models[root] = append(t.models[root], dir)
	return true
}

func hasVersion(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		_, kind := folder.ParseVersion(e.Name())
		return e.IsDir() && kind == folder.PlainVersion
	})
}

// sentence says why a path cannot be judged, and what to try.
func sentence(d scan.Diagnosis) string {
	if d.Suggestion == "" {
		return d.Sentence
	}
	return d.Sentence + " Try " + d.Suggestion + "."
}

// wanted reports whether a model of a root should be judged.
func wanted(only map[string][]string, root, dir string) bool {
	abs, err := filepath.Abs(root)
	if err != nil {
		abs = root
	}
	list, limited := only[abs]
	if !limited {
		return true
	}
	for _, model := range list {
		if filepath.Base(model) == filepath.Base(dir) {
			return true
		}
	}
	return false
}

package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// Diagnosis reports whether a folder can be opened as a model repository.
type Diagnosis struct {
	Verdict Verdict
	// Sentence says what was found; for Good it is empty.
	Sentence string
	// Suggestion is a path to open instead, or "".
	Suggestion string
}

// Verdict is the kind of a Diagnosis.
type Verdict string

// The verdicts.
const (
	Good     Verdict = "repository"
	Empty    Verdict = "empty"
	Missing  Verdict = "missing"
	NoFolder Verdict = "file"
	Locked   Verdict = "unreadable"
	Inner    Verdict = "inside a model"
	Outer    Verdict = "around a repository"
	Other    Verdict = "no repository"
)

// Openable reports whether there is a folder that can be opened at all, wise or
// not.
func (d Diagnosis) Openable() bool {
	return d.Verdict != Missing && d.Verdict != NoFolder && d.Verdict != Locked
}

// Diagnose looks at what a person wants to open, and if that is not a model
// repository says why and what to open instead.
func Diagnose(path string) Diagnosis { return diagnoseBelow("", path) }

// diagnoseBelow suggests nothing above top, where that is a folder around path.
func diagnoseBelow(top, path string) Diagnosis {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	entries, err := os.ReadDir(abs)
	if err != nil && len(entries) == 0 {
		return diagnoseError(top, abs, err)
	}
	if repositoryIn(abs, entries) {
		return Diagnosis{Verdict: Good}
	}
	if d, ok := diagnoseInner(abs, entries); ok {
		return d
	}
	for _, e := range entries {
		child := filepath.Join(abs, e.Name())
		if e.IsDir() && !layout.NoiseDir(e.Name()) && isRepository(child) {
			return Diagnosis{Outer, fmt.Sprintf("%s is no model repository, but its folder %s is one.", abs, e.Name()), child}
		}
	}
	if len(entries) == 0 {
		return Diagnosis{Empty, fmt.Sprintf("%s is empty. Create a model, or copy one in; it appears by itself.", abs), ""}
	}
	return Diagnosis{Other, fmt.Sprintf("%s has no models in it. A model is a folder with a config.pbtxt, or with version folders such as 1/.", abs), ""}
}

// diagnoseInner recognises a model folder or a version folder.
func diagnoseInner(abs string, entries []fs.DirEntry) (Diagnosis, bool) {
	parent := filepath.Dir(abs)
	if isModel(abs) {
		return Diagnosis{Inner, fmt.Sprintf("%s is one model, not a repository of models. The repository is the folder around it.", abs), parent}, true
	}
	_, kind := folder.ParseVersion(filepath.Base(abs))
	if kind == folder.PlainVersion && (isModel(parent) || slices.ContainsFunc(entries, namesModel)) {
		return Diagnosis{Inner, fmt.Sprintf("%s is one version of a model. The repository is the folder around the model.", abs), filepath.Dir(parent)}, true
	}
	return Diagnosis{}, false
}

func namesModel(e fs.DirEntry) bool { return layout.IsModelFile(e.Name()) }

// diagnoseError explains why a path cannot be listed.
func diagnoseError(top, abs string, err error) Diagnosis {
	info, statErr := os.Stat(abs)
	switch {
	case statErr == nil && !info.IsDir():
		return diagnoseFile(top, abs)
	case errors.Is(err, fs.ErrPermission):
		return Diagnosis{Locked, fmt.Sprintf("%s may not be read by this user. Change its permissions, or open another folder.", abs), ""}
	case errors.Is(err, fs.ErrNotExist):
		return diagnoseMissing(abs)
	}
	return Diagnosis{Locked, fmt.Sprintf("%s cannot be read: %s.", abs, reason(err)), ""}
}

// diagnoseFile: somebody picked the config or the model instead of the folder.
func diagnoseFile(top, abs string) Diagnosis {
	d := Diagnosis{NoFolder, fmt.Sprintf("%s is a file. Open the folder that holds the models.", abs), ""}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		if isRepository(dir) {
			d.Suggestion = dir
			return d
		}
		if dir == top || dir == filepath.Dir(dir) {
			return d
		}
	}
}

// diagnoseMissing names the part of the path that does exist.
func diagnoseMissing(abs string) Diagnosis {
	dir := filepath.Dir(abs)
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	d := Diagnosis{Missing, fmt.Sprintf("%s does not exist; %s is the last folder of that path that exists.", abs, dir), ""}
	if isRepository(dir) {
		d.Suggestion = dir
	}
	return d
}

// unreadableRoot is the sentence for a root of an open repository.
func unreadableRoot(root string, err error) string {
	if d := Diagnose(root); d.Sentence != "" && d.Verdict != Empty {
		return d.Sentence
	}
	return fmt.Sprintf("%s cannot be read: %s.", root, reason(err))
}

// isRepository reports whether a folder holds at least one model.
func isRepository(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && repositoryIn(dir, entries)
}

func repositoryIn(dir string, entries []fs.DirEntry) bool {
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == layout.ConfigFile }) {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		inner := filepath.Join(dir, e.Name())
		if folder.Reserved(e.Name()) && (hasVersion(entries) || !listsVersion(inner)) {
			return false // a part of the model that dir is
		}
		return !layout.NoiseDir(e.Name()) && isModel(inner)
	})
}

// listsVersion reports whether a folder holds a version folder, which no folder with a meaning of its own does.
func listsVersion(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && hasVersion(entries)
}

func hasVersion(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, kind := folder.ParseVersion(e.Name())
		return e.IsDir() && kind == folder.PlainVersion
	})
}

// isModel is stricter than the scan: in a folder picked by hand, "2024" alone
// is no version. It takes a config, or a version with a model in it.
func isModel(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() == layout.ConfigFile || e.Name() == folder.Variants && hasVariant(filepath.Join(dir, e.Name())) {
			return true
		}
		if _, kind := folder.ParseVersion(e.Name()); kind == folder.PlainVersion && hasModelFile(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return false
}

func hasVariant(dir string) bool {
	found, _ := os.ReadDir(dir)
	return slices.ContainsFunc(found, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), layout.VariantExt) })
}

func hasModelFile(dir string) bool {
	found, _ := os.ReadDir(dir)
	return slices.ContainsFunc(found, namesModel)
}

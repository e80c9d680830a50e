package workspace

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"
	"time"

	"conch/app/api"
	"conch/app/language"
	"conch/configedit/folder"
	"conch/repo/scan"
	"conch/repo/write"
)

func compareFiles(a, b fileKey) int {
	return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.path, b.path))
}

// IsTextName reports whether a file is likely to be one that people edit, by its name.
func IsTextName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".pbtxt", ".txt", ".py", ".json", ".yaml", ".yml", ".toml", ".md", ".csv", ".labels", ".cfg", ".ini", ".sh":
		return true
	case "":
		return strings.Contains(strings.ToLower(name), "label") || path.Base(name) == "vocab"
	}
	return false
}

// maxHashed is the size up to which the content of a file is read to name its version.
const maxHashed = 1 << 20

// changedBetween lists the texts that differ on disk between two analyses.
func (s *openRepository) changedBetween(prev, next *language.Analysis) []*api.FileChange {
	var out []*api.FileChange
	changed, _ := next.Changed(prev)
	for _, name := range changed {
		old, ok := prev.Model(name)
		if now, _ := next.Model(name); ok && old.Scan != now.Scan { // otherwise only its unsaved text changed
			out = append(out, s.w.changedFiles(old.Scan, now.Scan)...)
		}
	}
	return out
}

// changedFiles lists the texts of a model that differ between two scans; either may be nil.
func (w *Workspace) changedFiles(before, after *scan.Model) []*api.FileChange {
	if before == nil || after == nil {
		return nil // a model that was added or removed is reported itself
	}
	var out []*api.FileChange
	if before.ConfigFingerprint != after.ConfigFingerprint {
		out = append(out, configChange(before, after))
	}
	old, now := textFiles(before), textFiles(after)
	for name, f := range now {
		if was, there := old[name]; !there || !was.ModTime.Equal(f.ModTime) || was.Size != f.Size {
			out = append(out, w.fileChange(after, name, f))
		}
	}
	for name := range old {
		if _, there := now[name]; !there {
			out = append(out, &api.FileChange{Model: after.Name, Path: folder.Name(name)})
		}
	}
	return out
}

func configChange(before, after *scan.Model) *api.FileChange {
	change := &api.FileChange{Model: after.Name, Path: folder.ConfigName}
	switch {
	case after.ConfigPath != "":
		change.Path = relative(after, after.ConfigPath)
		change.Version = write.VersionOf(after.ConfigText, time.Time{}).Hash
	case before.ConfigPath != "":
		change.Path = relative(before, before.ConfigPath)
	}
	return change
}

func relative(m *scan.Model, abs string) string {
	rel, err := filepath.Rel(m.Dir, abs)
	if err != nil {
		return filepath.Base(abs)
	}
	return folder.Name(filepath.ToSlash(rel))
}

func (w *Workspace) fileChange(m *scan.Model, name string, f scan.File) *api.FileChange {
	change := &api.FileChange{Model: m.Name, Path: folder.Name(name), Version: "?"}
	if f.Size > maxHashed {
		return change
	}
	if _, version, err := w.opts.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(name))); err == nil {
		change.Version = version.Hash
	}
	return change
}

func textFiles(m *scan.Model) map[string]scan.File {
	files := map[string]scan.File{}
	for _, f := range m.Other {
		if IsTextName(f.Path) {
			files[f.Path] = f
		}
	}
	for _, v := range m.Versions {
		for _, f := range v.Files {
			if IsTextName(f.Path) {
				files[filepath.Base(v.Dir)+"/"+f.Path] = f
			}
		}
	}
	return files
}

package language

import (
	"path/filepath"

	"conch/configedit/folder"
	"conch/repo/layout"
	"conch/repo/scan"
)

// leadsOut is the file that a path leads to by links, where that lies neither in the model's folder nor in the repository;
// "" otherwise. The engine opens what does.
func leadsOut(m *scan.Model, rel string) string {
	real, err := filepath.EvalSymlinks(folder.Dir(m.Dir).Path(rel))
	if err != nil {
		return "" // it is missing, which is told elsewhere
	}
	for _, dir := range []string{m.Dir, m.Root} {
		if dir, err := filepath.EvalSymlinks(dir); err == nil && layout.Below(dir, real) {
			return ""
		}
	}
	return real
}

package language

import (
	"io"
	"os"
	"path/filepath"

	"conch/configedit/folder"
	"conch/repo/layout"
	"conch/repo/scan"
)

// raw is a path as the system has it, of one that a config names. A config may hold a name that is not UTF-8, and what
// was read of the config has it as text.
func raw(rel string) string { return folder.Raw(rel) }

// lying is where the file that a config names lies in a folder.
func lying(dir, rel string) string {
	path := filepath.Join(dir, filepath.FromSlash(rel))
	if other := raw(rel); other != rel {
		if _, err := os.Lstat(path); err != nil {
			return filepath.Join(dir, filepath.FromSlash(other))
		}
	}
	return path
}

// sizeIn is the size of a regular file in a folder.
func sizeIn(dir, rel string) (int64, bool) {
	info, err := os.Stat(lying(dir, rel))
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// specialIn says why what lies in a folder is neither a file nor a folder.
func specialIn(dir, rel string) error {
	info, err := os.Stat(lying(dir, rel))
	if err != nil {
		return nil
	}
	return folder.Special(info.Mode())
}

// readIn reads the first bytes of a regular file in a folder; nil where that cannot be done. Pipes are not opened:
// they would be waited for.
func readIn(dir, rel string, limit int) []byte {
	if _, ok := sizeIn(dir, rel); !ok {
		return nil
	}
	f, err := folder.Open(lying(dir, rel))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, int64(limit)))
	if err != nil {
		return nil
	}
	return content
}

// leadsOut is the file that a path leads to by links, where that lies neither in the model's folder nor in the repository;
// "" otherwise. The engine opens what does.
func leadsOut(m *scan.Model, rel string) string {
	real, err := filepath.EvalSymlinks(lying(m.Dir, rel))
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

package watch

import (
	"io/fs"
	"os"
	"path/filepath"

	"conch/repo/layout"
)

// maxDepth ends a walk through links that lead ever deeper; it is that of
// conch/repo/scan.
const maxDepth = 32

// found is something a walk came by, behind its links.
type found struct {
	path string
	info fs.FileInfo
	// link: path itself is a symbolic link.
	link bool
}

// walk visits a folder and everything in it that is no litter, folders before
// their content. It does not enter a folder for which visit answers false.
func walk(dir string, visit func(found) bool) {
	if info, err := os.Lstat(dir); err == nil {
		descend(behind(dir, info), nil, visit)
	}
}

// behind follows a link; of a dangling one the link itself is found.
func behind(path string, info fs.FileInfo) found {
	f := found{path: path, info: info, link: info.Mode()&fs.ModeSymlink != 0}
	if !f.link {
		return f
	}
	if target, err := os.Stat(path); err == nil {
		f.info = target
	}
	return f
}

// descend visits f, which lies in the folders above.
func descend(f found, above []fs.FileInfo, visit func(found) bool) {
	if f.link && within(above, f.info) || !visit(f) || !f.info.IsDir() || len(above) > maxDepth {
		return
	}
	// A folder that may not be read has nothing to watch; the scan reports it.
	entries, _ := os.ReadDir(f.path)
	above = append(above, f.info)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !litter(e) {
			descend(behind(filepath.Join(f.path, e.Name()), info), above, visit)
		}
	}
}

func litter(e fs.DirEntry) bool {
	if e.IsDir() {
		return layout.NoiseDir(e.Name())
	}
	return layout.NoiseFile(e.Name()) || layout.VimProbe(e.Name())
}

func within(above []fs.FileInfo, info fs.FileInfo) bool {
	for _, a := range above {
		if os.SameFile(a, info) {
			return true
		}
	}
	return false
}

package language

import (
	"io"
	"os"
	"path/filepath"
)

// sizeIn is the size of a regular file in a folder.
func sizeIn(dir, rel string) (int64, bool) {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(rel)))
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// readIn reads the first bytes of a regular file in a folder; nil where that cannot be done. Pipes are not opened:
// they would be waited for.
func readIn(dir, rel string, limit int) []byte {
	if _, ok := sizeIn(dir, rel); !ok {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(rel)))
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

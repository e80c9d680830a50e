package folder

import (
	"path"
	"strings"
)

// Outside reports whether a path, relative to a folder that it is written for, leads out of that folder. A path that begins
// with a slash counts from the folder, as in Triton. Links are for those who see the disk.
func Outside(rel string) bool {
	clean := path.Clean(strings.TrimLeft(rel, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../")
}

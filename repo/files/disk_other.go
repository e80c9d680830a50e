//go:build !unix

package files

import (
	"path/filepath"
	"strings"
)

// SyncFolder does nothing: elsewhere folders cannot be flushed.
func SyncFolder(string) {}

// SameDisk reports whether two folders are on one volume.
func SameDisk(a, b string) bool {
	return strings.EqualFold(filepath.VolumeName(a), filepath.VolumeName(b))
}

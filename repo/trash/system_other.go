//go:build !unix

package trash

import (
	"io/fs"
	"path/filepath"
	"strings"
)

func sameDisk(a, b string) bool {
	return strings.EqualFold(filepath.VolumeName(a), filepath.VolumeName(b))
}

func isOwn(fs.FileInfo) bool { return true }

func keepOwner(string, fs.FileInfo) {}

func canWrite(string) bool { return true }

func topOf(string) string { return "" }

// MountBelow returns "": elsewhere folders are not mounts.
func MountBelow(string) string { return "" }

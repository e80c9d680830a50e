//go:build !unix

package write

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keepOwner: elsewhere a new file inherits its owner from the folder.
func keepOwner(*os.File, fs.FileInfo) {}

// syncFolder: elsewhere folders cannot be flushed.
func syncFolder(string) {}

// sameDisk reports whether two folders are on one volume.
func sameDisk(a, b string) bool {
	return strings.EqualFold(filepath.VolumeName(a), filepath.VolumeName(b))
}

// canWrite returns nil: elsewhere only trying tells.
func canWrite(string) error { return nil }

// otherOwner returns "": elsewhere the system decides who may delete what.
func otherOwner(fs.FileInfo) string { return "" }

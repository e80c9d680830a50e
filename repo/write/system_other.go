//go:build !unix

package write

import (
	"io/fs"
	"os"
)

// keepOwner: elsewhere a new file inherits its owner from the folder.
func keepOwner(*os.File, fs.FileInfo) {}

// canWrite returns nil: elsewhere only trying tells.
func canWrite(string) error { return nil }

// otherOwner returns "": elsewhere the system decides who may delete what.
func otherOwner(fs.FileInfo) string { return "" }

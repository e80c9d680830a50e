//go:build !unix

package write

import (
	"io/fs"
	"os"
)

// keepOwner: elsewhere a new file inherits its owner from the folder.
func keepOwner(*os.File, fs.FileInfo) {}

// syncFolder: elsewhere folders cannot be flushed.
func syncFolder(string) {}

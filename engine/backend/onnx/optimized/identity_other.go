//go:build !linux

package optimized

import (
	"io/fs"
	"time"
)

// identity has nothing to add to name, size and time here.
func identity(fs.FileInfo) string { return "" }

// changed is when the file's content changed last.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }

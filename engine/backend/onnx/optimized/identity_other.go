//go:build !linux

package optimized

import (
	"io/fs"
	"time"
)

// identity is empty: here only name, size and time distinguish files.
func identity(fs.FileInfo) string { return "" }

// changed returns when the file's content last changed.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }

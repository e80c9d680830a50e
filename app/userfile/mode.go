package userfile

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// The rights of what is for one user alone.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// OfOthers are the rights that nobody else has.
const OfOthers fs.FileMode = 0o077

// MakeDir makes a folder, and those above it, where there are none. One that
// exists keeps its rights.
func MakeDir(path string) error {
	if err := os.MkdirAll(path, DirMode); err != nil {
		return fmt.Errorf("make a folder for this user alone: %w", err)
	}
	return nil
}

// DamagedName is the name that a file gets when it is moved aside because it is damaged.
func DamagedName(path string, at time.Time) string {
	return path + ".damaged-" + at.UTC().Format("20060102T150405.000")
}

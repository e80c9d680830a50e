package userfile

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// The permissions of files and folders for one user only.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// OfOthers are the permissions that others must not have.
const OfOthers fs.FileMode = 0o077

// MakeDir makes a folder, and those above it, where they do not exist. An existing folder keeps its
// permissions.
func MakeDir(path string) error {
	if err := os.MkdirAll(path, DirMode); err != nil {
		return fmt.Errorf("make a folder for this user alone: %w", err)
	}
	return nil
}

// DamagedName returns the name that a damaged file gets when it is moved aside.
func DamagedName(path string, at time.Time) string {
	return path + ".damaged-" + at.UTC().Format("20060102T150405.000")
}

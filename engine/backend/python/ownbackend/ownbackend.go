// Package ownbackend writes a new backend to begin with: a Python program that runs models, a model for it, and tests,
// among them the suite that every backend has to pass.
package ownbackend

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"conch/configedit/backends"
)

//go:embed template/*.py template/README.md template/models template/tests/*.py
var files embed.FS

// placeholder is the backend's name in the files.
const placeholder = "my_backend"

// names are those that are also names of folders and, with a dash instead of a line, of Python packages.
var names = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// ErrName is why a name is not taken.
var ErrName = errors.New("a backend's name has small letters, digits and _ and begins with a letter")

// Write writes the backend NAME into a new folder of this name. What is there already stays: then the error is fs.ErrExist.
func Write(folder, name string) (dir string, err error) {
	if !names.MatchString(name) {
		return "", fmt.Errorf("'%s' cannot be the name of a backend: %w", name, ErrName)
	}
	if backends.Known(name) || name == backends.Ensemble {
		return "", fmt.Errorf("'%s' is a backend of Triton: choose another name, for its models would not come to yours", name)
	}
	dir = filepath.Join(folder, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	template, err := fs.Sub(files, "template")
	if err != nil {
		return "", err
	}
	return dir, fs.WalkDir(template, ".", func(from string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(template, from)
		if err != nil {
			return err
		}
		return write(filepath.Join(dir, filepath.FromSlash(named(from, name))), named(string(text), name))
	})
}

// named puts the backend's name where the placeholder is.
func named(text, name string) string { return strings.ReplaceAll(text, placeholder, name) }

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

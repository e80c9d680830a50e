package python

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// library is our Python code: the process that runs a model, and what models import.
//
//go:embed lib/*.py lib/*/*.py lib/*/py.typed lib/backends/*/*.py
var library embed.FS

// unpacked writes the library to a folder once.
type unpacked struct {
	below string // "" for the temporary folder
	once  sync.Once
	dir   string
	err   error
}

// path returns the folder that Python gets.
func (u *unpacked) path() (string, error) {
	u.once.Do(func() { u.dir, u.err = u.write() })
	return u.dir, u.err
}

// write writes the files into a folder that is named by their content, so that several versions of Conch can share the folder
// above. Files that are there already are compared: a model imports what Conch brings, and nothing else.
func (u *unpacked) write() (string, error) {
	files, digest, err := u.files()
	if err != nil {
		return "", err
	}
	below := u.below
	if below == "" {
		if below, err = os.MkdirTemp("", "conch-python-"); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(below, digest)
	for name, content := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), content); err != nil {
			return "", fmt.Errorf("write what Python models import: %w", err)
		}
	}
	return dir, nil
}

func (u *unpacked) files() (files map[string][]byte, digest string, err error) {
	files = map[string][]byte{}
	sum := sha256.New()
	lib, err := fs.Sub(library, "lib")
	if err != nil {
		return nil, "", err
	}
	err = fs.WalkDir(lib, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(lib, name)
		files[name] = content
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
		return err
	})
	return files, hex.EncodeToString(sum.Sum(nil))[:16], err
}

// writeFile writes a file as a whole, unless it is there with this content.
func writeFile(path string, content []byte) error {
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

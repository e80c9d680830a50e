//go:build unix

package apptest

import (
	"os"
	"path/filepath"
	"testing"

	"conch/configedit/folder"
)

// Write writes a file, and makes the folders above it.
func Write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ReadFile returns the content of a file.
func ReadFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Config returns the saved config of a model.
func Config(t *testing.T, w *Window, model string) string {
	t.Helper()
	return ReadFile(t, filepath.Join(w.Root, model, folder.ConfigName))
}

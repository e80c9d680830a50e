//go:build unix

package folder

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpen: a file is read whole, and a pipe that nobody writes to is refused at once, also behind a link.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); string(text) != "content" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	_ = f.Close()
	for _, path := range []string{pipe, link} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "a named pipe") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

package write_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/repo/write"
)

func TestNewModel(t *testing.T) {
	root := t.TempDir()
	dir, err := write.NewModel(root, "digits", []byte("max_batch_size: 8\n"))
	check(t, err)
	wantContent(t, filepath.Join(dir, "config.pbtxt"), "max_batch_size: 8\n")
	if info, err := os.Stat(filepath.Join(dir, "1")); err != nil || !info.IsDir() {
		t.Errorf("1/ = %v, %v", info, err)
	}
	onlyFile(t, dir)
	_, err = write.NewModel(root, "digits", nil)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("err = %v", err)
	}
	bare, err := write.NewModel(root, "bare", nil)
	check(t, err)
	onlyFile(t, filepath.Join(bare, "1"))
}

func TestNewModelRefusesNames(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"", " ", ".", "..", "a/b", `a\b`, "a\nb", "\xff", ".git", "__pycache__", strings.Repeat("n", 256), "a\u202egnp", "a\u2066b", "a\u200bb", "a\u2028b"} {
		if dir, err := write.NewModel(root, name, nil); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("NewModel(%q) = %q, %v", name, dir, err)
		}
	}
	onlyFile(t, filepath.Join(root, "nothing"))
	_, err := write.NewModel(filepath.Join(root, "gone"), "m", nil)
	wantWords(t, err, "does not exist")
}

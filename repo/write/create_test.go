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

// inside makes models in the repository itself.
var inside write.Waiting

func TestNewModel(t *testing.T) {
	root := t.TempDir()
	dir, err := inside.NewModel(root, "digits", []byte("max_batch_size: 8\n"), nil)
	check(t, err)
	wantContent(t, filepath.Join(dir, "config.pbtxt"), "max_batch_size: 8\n")
	if info, err := os.Stat(filepath.Join(dir, "1")); err != nil || !info.IsDir() {
		t.Errorf("1/ = %v, %v", info, err)
	}
	onlyFile(t, dir)
	_, err = inside.NewModel(root, "digits", nil, nil)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("err = %v", err)
	}
	bare, err := inside.NewModel(root, "bare", nil, nil)
	check(t, err)
	onlyFile(t, filepath.Join(bare, "1"))
}

func TestNewModelRefusesNames(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"", " ", ".", "..", "a/b", `a\b`, "a\nb", "\xff", ".git", "__pycache__", strings.Repeat("n", 256), "a\u202egnp", "a\u2066b", "a\u200bb", "a\u2028b"} {
		if dir, err := inside.NewModel(root, name, nil, nil); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("NewModel(%q) = %q, %v", name, dir, err)
		}
	}
	onlyFile(t, filepath.Join(root, "nothing"))
	_, err := inside.NewModel(filepath.Join(root, "gone"), "m", nil, nil)
	wantWords(t, err, "does not exist")
}

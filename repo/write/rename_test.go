package write_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"conch/repo/write"
)

func TestRenameModel(t *testing.T) {
	root := t.TempDir()
	dir, err := inside.NewModel(root, "digits", []byte("max_batch_size: 8\n"), nil)
	check(t, err)
	to, err := write.RenameModel(dir, "numbers")
	check(t, err)
	wantContent(t, filepath.Join(to, "config.pbtxt"), "max_batch_size: 8\n")
	onlyFile(t, to)
	if to != filepath.Join(root, "numbers") {
		t.Errorf("it is at %s", to)
	}
	_, err = write.RenameModel(dir, "again")
	wantWords(t, err, "cannot rename", dir, "does not exist")
}

func TestRenameModelRefuses(t *testing.T) {
	root := t.TempDir()
	dir, err := inside.NewModel(root, "digits", nil, nil)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(root, "taken"), []byte("mine"), 0o600))
	_, err = write.RenameModel(dir, "taken")
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("err = %v", err)
	}
	wantContent(t, filepath.Join(root, "taken"), "mine")
	for _, name := range []string{"", "..", "a/b", "a\nb", ".git"} {
		if _, err := write.RenameModel(dir, name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("RenameModel(%q): %v", name, err)
		}
		if write.CheckModelName(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
	check(t, write.CheckModelName("digits-2"))
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

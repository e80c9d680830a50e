//go:build unix

package write_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"conch/repo/write"
)

// sent is a stage with files in its folder 1, for a model in a repository.
func sent(t *testing.T, place string, names ...string) (stage *write.Stage, model string) {
	t.Helper()
	model = filepath.Join(t.TempDir(), "m")
	check(t, os.MkdirAll(filepath.Join(model, "1"), 0o755))
	stage, err := write.Waiting{Places: []string{place}}.NewStage(filepath.Dir(model))
	check(t, err)
	t.Cleanup(func() { _ = stage.Discard() })
	for _, name := range names {
		check(t, stage.Append("1/"+name, 0, []byte(name)))
	}
	return stage, model
}

// TestAddTo: files arrive whole, in a folder that is there or in one that appears with them, from this disk and from another.
func TestAddTo(t *testing.T) {
	names := []string{"b.bin", "a.bin"}
	for _, place := range []string{t.TempDir(), "/dev/shm"} {
		for _, folder := range []string{".", "1", "2", "extra/more/still"} {
			stage, model := sent(t, place, names...)
			dir := filepath.Join(model, folder)
			check(t, stage.AddTo(t.Context(), model, dir, "1", names))
			for _, name := range names {
				wantContent(t, filepath.Join(dir, name), name)
			}
			if left, _ := filepath.Glob(filepath.Join(model, ".*")); len(left) > 0 {
				t.Errorf("left in the model: %q", left)
			}
			if _, err := os.Stat(stage.Dir()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the stage is there still: %v", err)
			}
		}
	}
}

// TestNewFolderByOneRename: a folder that is missing is the one in which the files waited, and is never seen without them.
func TestNewFolderByOneRename(t *testing.T) {
	for _, folder := range []string{"2", "extra/more"} {
		stage, model := sent(t, t.TempDir(), "a.bin")
		waited, err := os.Stat(filepath.Join(stage.Dir(), "1"))
		check(t, err)
		dir := filepath.Join(model, folder)
		check(t, stage.AddTo(t.Context(), model, dir, "1", []string{"a.bin"}))
		if now, err := os.Stat(dir); err != nil || !os.SameFile(waited, now) {
			t.Errorf("%s is another folder: %v", folder, err)
		}
	}
}

// TestNothingAdded: after an error nothing of the files is there, and they can be added elsewhere.
func TestNothingAdded(t *testing.T) {
	for _, place := range []string{t.TempDir(), "/dev/shm"} {
		stage, model := sent(t, place, "a.bin", "b.bin")
		both := []string{"a.bin", "b.bin"}
		old := filepath.Join(model, "1")
		check(t, os.WriteFile(filepath.Join(old, "b.bin"), []byte("mine"), 0o600))
		if err := stage.AddTo(t.Context(), model, old, "1", both); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a file: %v", err)
		}
		onlyFile(t, filepath.Join(old, "b.bin"))
		wantContent(t, filepath.Join(old, "b.bin"), "mine")
		for _, folder := range []string{"2", "3/deep"} {
			err := stage.AddTo(t.Context(), model, filepath.Join(model, folder), "1", []string{"a.bin", "gone.bin"})
			wantWords(t, err, "cannot read gone.bin", "choose it again")
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := stage.AddTo(cancelled, model, filepath.Join(model, "2"), "1", both); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		onlyFile(t, old)
		check(t, stage.AddTo(t.Context(), model, filepath.Join(model, "2"), "1", both))
		wantContent(t, filepath.Join(model, "2", "b.bin"), "b.bin")
	}
}

package compiled_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"conch/engine/backend/onnx/compiled"
	"conch/engine/backend/onnx/optimized"
)

// The folders that were not used for the longest time go first, and none that this process uses.
func TestRoom(t *testing.T) {
	dir, models := filepath.Join(t.TempDir(), "compiled"), t.TempDir()
	var folders []string
	for i := range 3 {
		model := filepath.Join(models, strconv.Itoa(i), "model.onnx")
		if err := os.MkdirAll(filepath.Dir(model), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(model, []byte{byte(i)}, 0o600); err != nil {
			t.Fatal(err)
		}
		s := compiled.New(dir, 250, slog.New(slog.DiscardHandler)) // each time another process
		folder, filled := s.Folder(optimized.Source{File: model})
		if folder == "" || filled {
			t.Fatalf("%q, %v", folder, filled)
		}
		if err := os.WriteFile(filepath.Join(folder, "engine"), make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(folder, old, old); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	s := compiled.New(dir, 250, slog.New(slog.DiscardHandler))
	for range 2 { // the first is used now
		if folder, filled := s.Folder(optimized.Source{File: filepath.Join(models, "0", "model.onnx")}); folder != folders[0] || !filled {
			t.Errorf("%q, %v", folder, filled)
		}
	}
	for i, want := range []bool{true, false, true} {
		if _, err := os.Stat(folders[i]); (err == nil) != want {
			t.Errorf("folder %d: %v", i, err)
		}
	}
}

// A folder that was released goes when there is no room, and one that is used does not, as often as it was handed out.
func TestRelease(t *testing.T) {
	dir := t.TempDir()
	s := compiled.New(t.TempDir(), 150, slog.New(slog.DiscardHandler))
	folderOf := func(i int) string {
		t.Helper()
		model := filepath.Join(dir, strconv.Itoa(i), "model.onnx")
		if _, err := os.Stat(model); err != nil { // a file that is written again is another source
			if err := errors.Join(os.MkdirAll(filepath.Dir(model), 0o755), os.WriteFile(model, []byte{byte(i)}, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		folder, _ := s.Folder(optimized.Source{File: model})
		if err := os.WriteFile(filepath.Join(folder, "engine"), make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	there := func(folder string) bool {
		_, err := os.Stat(folder)
		return err == nil
	}
	first := folderOf(0)
	if again := folderOf(0); again != first {
		t.Fatalf("%s and %s", first, again)
	}
	s.Release(first)
	folderOf(1)
	if folderOf(2); !there(first) {
		t.Error("a folder that is used was removed")
	}
	s.Release(first)
	if folderOf(3); there(first) {
		t.Error("a folder that nobody uses is in the way")
	}
}

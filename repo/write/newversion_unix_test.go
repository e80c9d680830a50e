//go:build unix

package write_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"conch/build/fulldisk"
	"conch/repo/write"
)

// A disk without space for a new version leaves the model as it is, and the version can be written once there is space.
func TestNewVersionOnAFullDisk(t *testing.T) {
	model := t.TempDir()
	if err := os.Mkdir(filepath.Join(model, "1"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"model.onnx": {Data: []byte(strings.Repeat("x", 50_000))}, "weights": {Data: []byte("y")}}
	undo := fulldisk.LimitFiles(t, 30_000)
	_, err := write.NewVersion(model, 2, files)
	undo()
	wantWords(t, err, "cannot create", filepath.Join(model, "2"))
	if entries, err := os.ReadDir(model); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	dir, err := write.NewVersion(model, 2, files)
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, filepath.Join(dir, "weights"), "y")
}

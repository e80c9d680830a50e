//go:build unix

package write_test

import (
	"io/fs"
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
	_, err := write.Waiting{}.NewVersion(model, 2, files)
	undo()
	wantWords(t, err, "cannot create", filepath.Join(model, "2"))
	if entries, err := os.ReadDir(model); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	dir, err := write.Waiting{}.NewVersion(model, 2, files)
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, filepath.Join(dir, "weights"), "y")
}

// From a place on another disk, and where a folder gives its group, a version is copied once, in the model.
func TestNewVersionFromElsewhere(t *testing.T) {
	for place, mode := range map[string]fs.FileMode{"/dev/shm": 0o755, t.TempDir(): 0o755 | fs.ModeSetgid} {
		if _, err := os.Stat(place); err != nil {
			t.Logf("left out, since this system has no such disk: %v", err)
			continue
		}
		model := t.TempDir()
		if err := os.Chmod(model, mode); err != nil {
			t.Fatal(err)
		}
		marked := holds{}
		copied := 0
		files := watched{fstest.MapFS{"model.onnx": {Data: []byte("x")}}, func() {
			copied++
			for dir := range marked {
				if filepath.Dir(dir) != model {
					t.Errorf("the copy is %s", dir)
				}
			}
		}}
		dir, err := write.Waiting{Places: []string{place}, Hold: marked.hold}.NewVersion(model, 2, files)
		if err != nil {
			t.Fatal(err)
		}
		wantContent(t, filepath.Join(dir, "model.onnx"), "x")
		info, err := os.Stat(dir)
		if err != nil || info.Mode()&fs.ModeSetgid != mode&fs.ModeSetgid || copied == 0 || len(marked) != 0 || len(entries(t, model)) != 1 {
			t.Errorf("%v, %v, %d marks, %q", info, err, len(marked), entries(t, model))
		}
	}
}

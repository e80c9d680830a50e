//go:build unix

package write_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"conch/build/fulldisk"
	"conch/repo/write"
)

// On a full disk a piece is written in part. When there is room again, the same piece is taken.
func TestPieceThatDidNotFit(t *testing.T) {
	stage, err := write.Waiting{Places: []string{t.TempDir()}}.NewStage(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := stage.Append("1/model.onnx", 0, []byte("abcd")); err != nil {
		t.Fatal(err)
	}
	undo := fulldisk.LimitFiles(t, 6)
	err = stage.Append("1/model.onnx", 4, []byte("efgh"))
	undo()
	if err == nil {
		t.Fatal("a piece was taken for which there was no room")
	}
	if err := stage.Append("1/model.onnx", 4, []byte("efgh")); err != nil {
		t.Errorf("the same piece again: %v", err)
	}
	if err := stage.Discard(); err != nil {
		t.Error(err)
	}
}

// Where the files wait on another disk, or the repository gives its group to what is made in it, the
// model is copied into the repository, whole, and nothing else is left there.
func TestModelFromElsewhere(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  fs.FileMode
		place string
	}{
		{"the repository gives its group", 0o755 | fs.ModeSetgid, t.TempDir()},
		{"another disk", 0o755, "/dev/shm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.place); err != nil {
				t.Skip(err)
			}
			root := t.TempDir()
			if err := os.Chmod(root, c.mode); err != nil {
				t.Fatal(err)
			}
			stage, err := write.Waiting{Places: []string{c.place}}.NewStage(root)
			if err != nil {
				t.Fatal(err)
			}
			if err := stage.Append("1/model.onnx", 0, []byte("abcd")); err != nil {
				t.Fatal(err)
			}
			dir, err := stage.Become("mine", []byte("name: \"mine\"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "1", "model.onnx")); err != nil || string(text) != "abcd" {
				t.Errorf("the file holds %q, %v", text, err)
			}
			if left, _ := os.ReadDir(root); len(left) != 1 {
				t.Errorf("the repository holds %v", left)
			}
			if _, err := os.Stat(stage.Dir()); !os.IsNotExist(err) {
				t.Errorf("the files still wait: %v", err)
			}
			info, err := os.Stat(filepath.Join(dir, "1"))
			if err != nil || info.Mode()&fs.ModeSetgid != c.mode&fs.ModeSetgid {
				t.Errorf("the version's folder has the mode %v, %v", info.Mode(), err)
			}
		})
	}
}

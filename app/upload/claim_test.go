package upload_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/app/upload"
)

// Another workbench on the same repository neither removes files that are still sent, nor leaves those of
// a program that was killed.
func TestUploadsOfOthersStay(t *testing.T) {
	root := t.TempDir()
	var first, second upload.Uploads
	id, err := first.Begin(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := first.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Write("model.onnx", 0, []byte("half")); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(root, ".conch-upload-1.tmp")
	if err := os.Mkdir(left, 0o777); err != nil {
		t.Fatal(err)
	}

	if _, err := second.Begin(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a killed program left is still there: %v", err)
	}
	if err := files.Write("model.onnx", 4, []byte("more")); err != nil {
		t.Errorf("the upload of the first workbench cannot go on: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if names, _ := filepath.Glob(filepath.Join(root, ".*")); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

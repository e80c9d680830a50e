package upload_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"conch/app/upload"
	"conch/engine/filelock/filelocktest"
)

// Another workbench on the same repository neither removes files that are still sent, nor leaves those of
// a program that was killed.
func TestUploadsOfOthersStay(t *testing.T) {
	root, data := t.TempDir(), t.TempDir()
	first, second := upload.Uploads{Data: data}, upload.Uploads{Data: data}
	files := opened(t, &first, root)
	if err := files.Write("model.onnx", 0, []byte("half")); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(data, "uploads")
	left := []string{filepath.Join(root, ".conch-upload-1.tmp"), filepath.Join(kept, ".conch-upload-2.tmp")}
	for _, dir := range left {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := second.Begin(root, ""); err != nil {
		t.Fatal(err)
	}
	for _, dir := range left {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("what a killed program left is still there: %v", err)
		}
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
	for _, dir := range []string{root, kept} {
		if names, _ := filepath.Glob(filepath.Join(dir, ".*")); len(names) > 0 {
			t.Errorf("left behind: %v", names)
		}
	}
}

// What a kill left of the copies of new models, versions and files goes when the repository is opened, also behind links and what earlier versions of Conch left; a file
// that is being saved stays.
func TestUnfinishedCopiesGo(t *testing.T) {
	parent := t.TempDir()
	root := filepath.Join(parent, "models [1]")
	left := []string{".conch-model-1.tmp/1", ".conch-version-2.tmp/model.onnx", "m/.conch-version-3.tmp/model.onnx", "m/.conch-upload-4.tmp", "../.conch-upload-5.tmp",
		"m/1/.conch-upload-8.tmp", "m/1/more/.conch-upload-9.tmp/model.onnx", "../elsewhere/.conch-upload-10.tmp"}
	for _, dir := range append(left, "m/1", "m/.conch-config-6.tmp") {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "m/.conch-version-7.tmp"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	// A version on another disk, and a link in a circle.
	for link, to := range map[string]string{"m/2": filepath.Join(parent, "elsewhere"), "m/1/back": filepath.Join(root, "m")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := upload.Clear(t.TempDir(), root); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{".": 1, "m": 4, "m/1": 2, "m/1/more": 0, "m/2": 0, "..": 2} {
		if left := names(t, filepath.Join(root, dir)); len(left) != want {
			t.Errorf("%s still has %q", dir, left)
		}
	}
}

// While files are sent and asked about, another server that lists the repository sees no folder for
// them; it sees the model when it is whole.
func TestRepositoryShowsWholeModelsOnly(t *testing.T) {
	root := t.TempDir()
	uploads := upload.Uploads{Data: t.TempDir()}
	id, err := uploads.Begin(root, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := uploads.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Write("model.py", 0, []byte("class TritonPythonModel: pass\n")); err != nil {
		t.Fatal(err)
	}
	if seen := names(t, root); len(seen) > 0 {
		t.Errorf("while it is sent, the repository shows %q", seen)
	}
	if _, err := files.Become("mine", []byte("backend: \"python\"\n")); err != nil {
		t.Fatal(err)
	}
	if seen := names(t, root); len(seen) != 1 || seen[0] != "mine" {
		t.Errorf("the repository shows %q", seen)
	}
	if _, err := os.Stat(filepath.Join(root, "mine", "1", "model.py")); err != nil {
		t.Error(err)
	}
	if err := uploads.Close(); err != nil {
		t.Error(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

// On a disk without locks files are taken too, and nothing is cleared.
func TestUploadsWithoutLocks(t *testing.T) {
	filelocktest.Fails(t, syscall.ENOLCK)
	root, data := t.TempDir(), t.TempDir()
	first, second := upload.Uploads{Data: data}, upload.Uploads{Data: data}
	files := opened(t, &first, root)
	if _, err := second.Begin(root, ""); err != nil {
		t.Fatal(err)
	}
	if err := files.Write("model.onnx", 0, []byte("half")); err != nil {
		t.Errorf("the upload of the first workbench cannot go on: %v", err)
	}
}

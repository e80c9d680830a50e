package upload_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/app/upload"
)

// opened returns an upload that waits for its files.
func opened(t *testing.T, u *upload.Uploads, root string) *upload.Upload {
	t.Helper()
	id, err := u.Begin(root, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := u.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// begun returns an upload with a whole Python model.
func begun(t *testing.T, u *upload.Uploads, root string) *upload.Upload {
	t.Helper()
	files := opened(t, u, root)
	if err := files.Write("model.py", 0, []byte("class TritonPythonModel: pass\n")); err != nil {
		t.Fatal(err)
	}
	return files
}

// Of several calls that make a model of one upload, one does, and the others are told which model it is.
func TestUploadBecomesOneModel(t *testing.T) {
	root := t.TempDir()
	uploads := upload.Uploads{Data: t.TempDir()}
	files := begun(t, &uploads, root)
	var all sync.WaitGroup
	told := make([]error, 4)
	for i, name := range []string{"a", "b", "c", "d"} {
		all.Go(func() { _, told[i] = files.Become(name, nil) })
	}
	all.Wait()
	models, _ := filepath.Glob(filepath.Join(root, "*"))
	if len(models) != 1 {
		t.Fatalf("there are %q", models)
	}
	refused := 0
	for _, err := range told {
		if err == nil {
			continue
		}
		refused++
		if !errors.Is(err, upload.ErrGone) || !strings.Contains(err.Error(), `have become the model "`+filepath.Base(models[0])+`"`) {
			t.Errorf("said %v", err)
		}
	}
	if refused != 3 {
		t.Errorf("%d calls were refused", refused)
	}
	if err := files.Write("more.bin", 0, []byte("x")); !errors.Is(err, upload.ErrGone) {
		t.Errorf("a piece that comes later: %v", err)
	}
	if err := uploads.Close(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	if _, err := os.Stat(filepath.Join(models[0], "1", "model.py")); err != nil {
		t.Errorf("the model is gone: %v", err)
	}
}

// An upload that was discarded while a call used it says so.
func TestDiscardedUploadIsGone(t *testing.T) {
	root := t.TempDir()
	uploads := upload.Uploads{Data: t.TempDir()}
	files := begun(t, &uploads, root)
	if err := files.Discard(); err != nil {
		t.Fatal(err)
	}
	_, becomes := files.Become("m", nil)
	_, _, drafts := files.Draft()
	for _, err := range []error{becomes, drafts, files.Write("a.py", 0, nil)} {
		if !errors.Is(err, upload.ErrGone) {
			t.Errorf("said %v", err)
		}
	}
}

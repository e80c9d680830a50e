package onnx_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/runtimes"
)

// installed puts a build into the data folder of this test and chooses it.
func installed(t *testing.T) *runtimes.Store {
	t.Helper()
	t.Setenv(onnx.LibraryVariable, "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	library := onnxtest.Library(t)
	if info, err := os.Stat(library); err == nil && info.IsDir() {
		library = filepath.Join(library, runtimes.LibraryName())
	}
	s := runtimes.Default()
	dir := filepath.Join(s.Dir, "builds", "mine-1.30.0")
	about, err := json.Marshal(runtimes.Build{Name: "mine", Version: "1.30.0"})
	if err == nil {
		err = errors.Join(os.MkdirAll(dir, 0o700), os.Symlink(library, filepath.Join(dir, runtimes.LibraryName())),
			os.WriteFile(filepath.Join(dir, "conch.json"), about, 0o600), os.WriteFile(filepath.Join(s.Dir, "chosen"), []byte("mine-1.30.0\n"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An engine uses the build that the user has chosen, unless the environment names a library.
func TestChosenLibrary(t *testing.T) {
	library := onnxtest.Library(t)
	s := installed(t)
	if found, err := onnx.FindLibrary(); err != nil || found.Build != "mine-1.30.0" || !strings.HasPrefix(found.Path, s.Dir) {
		t.Errorf("%+v, %v", found, err)
	}
	t.Setenv(onnx.LibraryVariable, library)
	if found, err := onnx.FindLibrary(); err != nil || found.Build != "" || strings.HasPrefix(found.Path, s.Dir) {
		t.Errorf("%+v, %v", found, err)
	}
	t.Setenv(onnx.LibraryVariable, "")
	if err := os.Remove(filepath.Join(s.Dir, "builds", "mine-1.30.0", runtimes.LibraryName())); err != nil {
		t.Fatal(err)
	}
	if trouble := onnx.New(onnx.Options{}).Trouble(); !strings.Contains(trouble, `the chosen ONNX Runtime "mine-1.30.0" cannot be used`) {
		t.Errorf("trouble = %q", trouble)
	}
}

// A build that an engine has opened is not removed.
func TestALibraryThatIsUsedStays(t *testing.T) {
	s := installed(t)
	model, err := onnx.New(onnx.Options{}).Load(context.Background(), specOf(t, onnxtest.AddSub(16).Bytes(), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if _, err := s.Remove(t.Context(), "mine"); !errors.Is(err, runtimes.ErrInUse) {
		t.Errorf("error = %v", err)
	}
	if found, err := onnx.FindLibrary(); err != nil || found.Build != "mine-1.30.0" {
		t.Errorf("%+v, %v", found, err)
	}
}

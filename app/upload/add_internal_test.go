package upload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// begun is an upload with files, and a model to which they can be added.
func begun(t *testing.T, names ...string) (list *Uploads, one *Upload, model string) {
	t.Helper()
	root := t.TempDir()
	model = filepath.Join(root, "m")
	if err := os.MkdirAll(filepath.Join(model, "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	list = &Uploads{Data: t.TempDir()}
	t.Cleanup(func() { _ = list.Close() })
	id, err := list.Begin(root, "")
	if err != nil {
		t.Fatal(err)
	}
	one, err = list.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := one.Write(name, 0, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	return list, one, model
}

// TestModelFileLast: the file that refers to the others appears last.
func TestModelFileLast(t *testing.T) {
	_, one, _ := begun(t, "model.onnx", "weights.bin", "helper.py", "a.txt")
	names, err := one.lend(func() {})
	if want := []string{"a.txt", "weights.bin", "helper.py", "model.onnx"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
}

// TestOthersDoNotWaitForACopy: while files are copied, other uploads begin and are found; the copied one is refused, and when it is
// discarded, the copy is stopped and nothing is added.
func TestOthersDoNotWaitForACopy(t *testing.T) {
	list, one, model := begun(t, "a.bin")
	ctx, stop := context.WithCancel(t.Context())
	if _, err := one.lend(stop); err != nil {
		t.Fatal(err)
	}
	if err := one.Write("b.bin", 0, []byte("x")); !errors.Is(err, ErrUnfit) {
		t.Errorf("a file more: %v", err)
	}
	for range atOnce {
		id, err := list.Begin(filepath.Dir(model), "")
		if err == nil {
			_, err = list.Find(id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if ctx.Err() == nil {
		t.Error("the copy goes on, although its upload made room for newer ones")
	}
	if err := one.takeBack(ctx.Err()); !errors.Is(err, ErrGone) {
		t.Errorf("it was discarded meanwhile: %v", err)
	}
	if _, err := os.Stat(one.stage.Dir()); !os.IsNotExist(err) {
		t.Errorf("its files are still there: %v", err)
	}
}

// TestTriedAgain: after a refusal the same files can be added elsewhere.
func TestTriedAgain(t *testing.T) {
	_, one, model := begun(t, "a.bin")
	if err := os.WriteFile(filepath.Join(model, "1", "a.bin"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := one.AddTo(t.Context(), model, filepath.Join(model, "1")); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if names, err := one.AddTo(t.Context(), model, filepath.Join(model, "2")); err != nil || !slices.Equal(names, []string{"a.bin"}) {
		t.Errorf("%q, %v", names, err)
	}
	if _, err := one.AddTo(t.Context(), model, filepath.Join(model, "3")); !errors.Is(err, ErrGone) {
		t.Errorf("once more: %v", err)
	}
}

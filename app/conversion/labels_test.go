package conversion_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"conch/repo/layout"
)

// TestLabelsOfTheModelAlone: label files that become files of a plan's model are not read where a link leads out of the model's folder,
// or to something that has no end.
func TestLabelsOfTheModelAlone(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	labels := filepath.Join(source.Model.Dir, "labels.txt")
	for _, to := range []string{key, "1", "kept.txt"} {
		_ = os.Remove(labels)
		if err := os.Symlink(to, labels); err != nil {
			t.Fatal(err)
		}
		if to == "kept.txt" {
			if err := os.WriteFile(filepath.Join(source.Model.Dir, to), []byte("a\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, err := source.Labels()
		if fits := err == nil && string(files["labels.txt"]) == "a\n"; fits != (to == "kept.txt") {
			t.Errorf("%s: %q, %v", to, files, err)
		}
		if to == key && !errors.Is(err, layout.ErrOutside) {
			t.Error(err)
		}
	}
}

//go:build unix

package convert_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fsnotify/fsnotify"

	"conch/engine/convert"
)

// Nothing is ever written, replaced or removed beside the model: its folder may be served, may be read-only, and may hold a file with any name, such as
// model-inferred.onnx, which ONNX Runtime's tools write beside the model that they are given.
func TestNothingIsWrittenBesideTheModel(t *testing.T) {
	for name, j := range map[string]convert.Job{
		"fp16":    {Target: convert.FP16, Model: makeModel(t, "middle"), Requests: rows(1, 64)},
		"int8":    {Target: convert.INT8, Model: makeModel(t, "external"), Requests: rows(1, 64)},
		"dynamic": {Target: convert.INT8, Model: makeModel(t, "plain"), Dynamic: true, Requests: rows(1, 64)},
		"weights": {Target: convert.FP16, Model: makeModel(t, "external"), Requests: rows(1, 64)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "1")
			if err := os.CopyFS(folder, os.DirFS(filepath.Dir(j.Model))); err != nil {
				t.Fatal(err)
			}
			j.Model = filepath.Join(folder, "model.onnx")
			precious := filepath.Join(folder, "model-inferred.onnx")
			if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(folder, 0o500); err != nil {
				t.Fatal(err)
			}
			changes := changesOf(t, folder)
			_, r, steps, err := run(t, j)
			if err != nil || r.Requests != 1 || len(r.Notes) > 0 && name != "dynamic" {
				t.Errorf("%+v, %v\n%q", r, err, steps)
			}
			if err := os.Chmod(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if found := changes(); len(found) > 0 {
				t.Errorf("beside the model: %q", found)
			}
			if text, err := os.ReadFile(precious); string(text) != "precious" {
				t.Errorf("model-inferred.onnx: %q, %v", text, err)
			}
		})
	}
}

// changesOf returns a function that tells what has changed in a folder since then, also what is gone again.
func changesOf(t *testing.T, folder string) func() []string {
	t.Helper()
	w, err := fsnotify.NewBufferedWatcher(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Add(folder); err != nil {
		t.Fatal(err)
	}
	return func() (list []string) {
		last := filepath.Join(folder, "last") // changes are told in their order: this one is told after all others
		if err := os.WriteFile(last, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for {
			select {
			case err := <-w.Errors:
				t.Fatal(err)
			case e := <-w.Events:
				if e.Name == last {
					return slices.Compact(list)
				}
				if e.Op != fsnotify.Chmod {
					list = append(list, e.String())
				}
			}
		}
	}
}

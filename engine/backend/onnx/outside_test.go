package onnx_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
)

// A model file names the files of its weights. One that lies elsewhere than beside the model is not read: who sends or
// makes a model would else read any file by asking the model for its weights.
func TestWeightsOutsideOfTheModel(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, ints("", nil, 100, 200).Data, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBackend(t)
	for name, location := range map[string]func(dir string) string{
		"absolute": func(string) string { return secret },
		"up and out": func(dir string) string {
			rel, err := filepath.Rel(dir, secret)
			if err != nil {
				t.Fatal(err)
			}
			return rel
		},
		"link": func(dir string) string {
			if err := os.Symlink(secret, filepath.Join(dir, "weights.bin")); err != nil {
				t.Fatal(err)
			}
			return "weights.bin"
		},
	} {
		spec := specOf(t, nil, nil)
		m := onnxtest.Model{
			Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
			Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
			Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Int32, Dims: []int64{2}, External: location(spec.VersionDir)}},
			Nodes:        []onnxtest.Node{{Op: "Add", Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
		}
		if err := os.WriteFile(spec.File, m.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		loaded, err := b.Load(t.Context(), spec)
		if err == nil {
			loaded.Close()
			t.Errorf("%s: the model was loaded", name)
		}
	}
}

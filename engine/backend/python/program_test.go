package python_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// adding is a backend: its models are files with a number.
const adding = `
from pathlib import Path

import triton_python_backend_utils as pb_utils
from beside import plus
from near import more


class TritonPythonModel:
    def initialize(self, args):
        file = Path(pb_utils.get_model_dir()) / "model.number"
        self.number = int(file.read_text()) + more

    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("OUT", plus(r.inputs()[0].as_numpy(), self.number))])
            for r in requests
        ]
`

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder with a model.py is a backend. Its program can import what lies beside it and in the model's folder, and reads the model's files.
func TestProgramOfAFolder(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{
		"adding/model.py": adding, "adding/beside.py": "def plus(x, n):\n    return (x + n).astype(x.dtype)\n",
		"library/libtriton_library.so": "", "onnxruntime/model.py": "", "python/model.py": "", "notes.txt": "",
	})
	programs, err := python.Programs(dir)
	if err != nil || len(programs) != 1 || programs[0].Name != "adding" {
		t.Fatalf("%v, %v", programs, err)
	}
	b := newBackend(t).Based(programs[0])
	if b.Name() != "adding" || b.Runtime() != "Python" {
		t.Errorf("%s, %s", b.Name(), b.Runtime())
	}
	cfg := flat(tensor.FP32)
	cfg.Backend = "adding"
	in := started(t, b, specOf(t, "", cfg), map[string]string{"1/model.number": "40", "near.py": "more = 1\n"})
	r, err := run(t, in, floats("IN", 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer free(r)
	if got := r.Outputs[0].Data; string(got) != string(floats("OUT", 3, 42).Data) {
		t.Errorf("%v", got)
	}
}

// A model that needs no trust does not choose its interpreter: that would be code of its own.
func TestProgramKeepsItsInterpreter(t *testing.T) {
	cfg := config(backendtest.Shape{Type: tensor.FP32, Dims: []int64{-1}, MaxBatch: 8}, "INPUT0", "OUTPUT0")
	cfg.Backend = "identity"
	spec := specOf(t, "", cfg)
	files := map[string]string{".venv/bin/python3": "#!/bin/sh\nexit 1\n"}
	for _, module := range []string{"debugpy", "json", "numpy", "torch"} {
		files[module+".py"], files["1/"+module+".py"] = "raise SystemExit", "raise SystemExit"
	}
	in := started(t, newBackend(t).Based(python.Program{Name: "identity"}), spec, files)
	if _, err := run(t, in, floats("INPUT0", 1, 1)); err != nil {
		t.Error(err)
	}
	// The interpreter may have a debugger; that of the model is not used.
	if _, err := in.(backend.Debuggable).Debug(t.Context()); err != nil && !strings.Contains(err.Error(), "has no debugpy") {
		t.Error(err)
	}
	if _, err := run(t, in, floats("INPUT0", 1, 1)); err != nil {
		t.Error(err)
	}
}

// started makes an instance of a model that has these files.
func started(t *testing.T, b *python.Backend, spec backend.Spec, files map[string]string) backend.Instance {
	t.Helper()
	writeAll(t, spec.ModelDir, files)
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	return in
}

// Each program that Conch brings is there.
func TestBrought(t *testing.T) {
	for _, program := range python.Brought() {
		if _, err := os.Stat(filepath.Join("lib", "backends", program.Name, "model.py")); err != nil {
			t.Error(err)
		}
	}
}

// The identity backend copies each input to the output of its number.
func TestIdentity(t *testing.T) {
	cfg := config(backendtest.Shape{Type: tensor.FP32, Dims: []int64{-1}, MaxBatch: 8}, "INPUT0", "OUTPUT0", "INPUT1", "OUTPUT1")
	in := started(t, newBackend(t).Based(python.Program{Name: "identity"}), specOf(t, "", cfg), nil)
	r, err := run(t, in, floats("INPUT0", 3, 1), floats("INPUT1", 2, 7))
	if err != nil {
		t.Fatal(err)
	}
	defer free(r)
	if out := r.Output("OUTPUT1"); out == nil || string(out.Data) != string(floats("", 2, 7).Data) {
		t.Errorf("%v", r.Outputs)
	}
}

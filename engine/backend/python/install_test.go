//go:build unix

package python_test

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/backends"
	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/backend/python/environments/wheeltest"
	"conch/engine/tensor"
)

// imports is a model that answers with the value of a module.
const imports = `
import numpy as np
import shells
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        text = np.array([[shells.KIND.encode()]], np.object_)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", text)]) for _ in requests]
`

// wheels makes a folder of wheels: one of the module shells, and a NumPy.
func wheels(t *testing.T) wheeltest.Index {
	t.Helper()
	index := wheeltest.New(t)
	out, err := exec.Command(interpreter(t), "-c", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))").Output()
	if err != nil {
		t.Fatal(err)
	}
	index.AddNumPy(t, strings.TrimSpace(string(out)))
	index.Add(t, "shells", "1.0", map[string]string{"shells.py": "KIND = 'conch'"})
	return index
}

// runs returns the answer of a model, or why it cannot be loaded.
func runs(t *testing.T, b *python.Backend, spec backend.Spec) string {
	t.Helper()
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = m.Close() }()
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = in.Close() }()
	r, err := run(t, in, tensor.Tensor{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Outputs[0].Data[4:])
}

// Nothing is installed that the user has not allowed. What could be installed is offered, and the error of a model that cannot be loaded
// without it says so. With the user's word it is installed, once for all models with the same list, and people see how far it is.
func TestInstallingIsAsked(t *testing.T) {
	wheels(t)
	dir := t.TempDir()
	options := python.Options{Interpreter: interpreter(t), Dir: dir, Log: slog.New(slog.DiscardHandler)}
	b := python.New(options)
	defer func() { _ = b.Close() }()
	spec := specOf(t, imports, flat(tensor.Bytes))
	put(t, filepath.Join(spec.ModelDir, "requirements.txt"), "shells==1.0\n")
	var told []string
	spec.Progress = func(text string) { told = append(told, text) }
	want := "No module named 'shells'"
	if got := runs(t, b, spec); !strings.Contains(got, want) || !strings.Contains(got, "The packages of the model's requirements.txt are not installed") {
		t.Errorf("not installed: %s", got)
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "environments", "*")); len(made) > 0 || len(told) > 0 {
		t.Errorf("something was installed without being asked: %v, %q", made, told)
	}
	offer := b.Offer(spec.ModelDir)
	if offer == nil || strings.Join(offer.Packages, ";") != "shells==1.0" || offer.From != "requirements.txt" {
		t.Fatalf("the offer is %+v", offer)
	}
	b.Allow("another")
	if got := runs(t, b, spec); !strings.Contains(got, want) {
		t.Errorf("another offer was allowed: %s", got)
	}
	b.Allow(offer.ID)
	if got := runs(t, b, spec); got != "conch" {
		t.Errorf("installed: %s", got)
	}
	if text := strings.Join(told, "\n"); !strings.Contains(text, "making a Python environment") || !strings.Contains(text, "installing 2 packages") {
		t.Errorf("people were told %q", text)
	}
	if b.Offer(spec.ModelDir) != nil {
		t.Error("it is still offered")
	}
	told = nil
	other := specOf(t, imports, flat(tensor.Bytes))
	put(t, filepath.Join(other.VersionDir, "requirements.txt"), "shells==1.0\n")
	if got := runs(t, b, other); got != "conch" || len(told) > 0 || len(b.Environments()) != 1 {
		t.Errorf("another model with this list: %s, told %q, %d environments", got, told, len(b.Environments()))
	}
}

// --backend-config=python,install=true is the user's word for all models.
func TestInstallingByASetting(t *testing.T) {
	wheels(t)
	options := python.Options{Interpreter: interpreter(t), Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	options.ReadSettings([]string{backends.Python + ",install=true"})
	b := python.New(options)
	defer func() { _ = b.Close() }()
	spec := specOf(t, imports, flat(tensor.Bytes))
	put(t, filepath.Join(spec.ModelDir, "requirements.txt"), "no-shells\n")
	if got := runs(t, b, spec); !strings.Contains(got, "model 'm': the packages of its requirements.txt could not be installed: a package, or the version that is asked for, was not found") {
		t.Errorf("no such package: %s", got)
	}
	put(t, filepath.Join(spec.ModelDir, "requirements.txt"), "shells")
	if got := runs(t, b, spec); got != "conch" {
		t.Errorf("installed: %s", got)
	}
}

// What Conch's own backends need is taken from the usual Python when it is there, else from an environment of Conch's own, which the user allows.
// A model that runs no code brings no packages: nobody has asked whether its repository is trusted.
func TestNeedsOfABackend(t *testing.T) {
	index := wheels(t)
	index.Add(t, "framework", "1.0", map[string]string{"framework/__init__.py": ""})
	dir, own := t.TempDir(), t.TempDir()
	b := python.New(python.Options{
		Interpreter: interpreter(t), Dir: dir, OwnDir: own, Log: slog.New(slog.DiscardHandler),
		Needs: python.Needs{Modules: []string{"framework"}, Packages: []string{"framework", "shells"}, Weight: "2.1 GB"},
	})
	defer func() { _ = b.Close() }()
	spec := specOf(t, imports, flat(tensor.Bytes))
	spec.Config.Backend = "identity" // whose models are data
	put(t, filepath.Join(spec.ModelDir, "requirements.txt"), "something")
	put(t, filepath.Join(spec.ModelDir, ".venv", "bin", "python3"), "#!/bin/sh\nexit 9\n")
	missing, err := b.Missing(t.Context())
	if err != nil || missing == nil || strings.Join(missing.Modules, ";") != "framework" || strings.Join(missing.Packages, ";") != "framework;shells" || missing.Python != interpreter(t) {
		t.Errorf("before a load it says that %+v is missing, %v", missing, err)
	}
	got := runs(t, b, spec)
	for _, want := range []string{
		"model 'm' needs the Python module 'framework' for backend 'python', which " + interpreter(t) + " lacks. Press Install on the model's page",
		"--backend-config=python,install=true", "-m pip install framework shells",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	offer := b.Offer(spec.ModelDir)
	if offer == nil || strings.Join(offer.Packages, ";") != "framework;shells" || offer.From != "backend 'python'" || offer.Weight != "2.1 GB" {
		t.Fatalf("the offer is %+v", offer)
	}
	b.Allow(offer.ID)
	if got := runs(t, b, spec); got != "conch" {
		t.Errorf("installed: %s", got)
	}
	if missing, err := b.Missing(t.Context()); err != nil || missing != nil {
		t.Errorf("installed, and %+v is missing, %v", missing, err)
	}
	there := b.Environments()
	if len(there) != 1 || filepath.Dir(there[0].Dir) != own {
		t.Fatalf("environments: %+v", there)
	}
	if err := b.RemoveEnvironment(t.Context(), there[0].ID); err != nil || len(b.Environments()) > 0 {
		t.Errorf("removal: %v", err)
	}
	if _, err := os.Stat(there[0].Dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// An environment that a loaded model uses is not removed.
func TestEnvironmentsInUse(t *testing.T) {
	wheels(t)
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: t.TempDir(), Install: true, Log: slog.New(slog.DiscardHandler)})
	defer func() { _ = b.Close() }()
	spec := specOf(t, imports, flat(tensor.Bytes))
	put(t, filepath.Join(spec.ModelDir, "requirements.txt"), "shells")
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	e := b.Environments()
	if len(e) != 1 || !e[0].InUse {
		t.Fatalf("environments: %+v", e)
	}
	if err := b.RemoveEnvironment(t.Context(), e[0].ID); err == nil || !strings.Contains(err.Error(), "it is in use") {
		t.Errorf("while a model uses it: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.RemoveEnvironment(t.Context(), e[0].ID); err != nil {
		t.Errorf("after that: %v", err)
	}
}

package handover_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/handover"
	"conch/app/language"
	"conch/configedit/release"
)

const (
	packedConfig = "# kept\nbackend: \"python\"\nmax_batch_size: 8\n" +
		"input { name: \"IN\" data_type: TYPE_FP32 dims: 4 }\noutput { name: \"OUT\" data_type: TYPE_FP32 dims: 4 }\n# also this"
	packedProgram = "import only_there\nimport triton_python_backend_utils as pb_utils\n\n\nclass TritonPythonModel:\n" +
		"    def execute(self, requests):\n        return [pb_utils.InferenceResponse([pb_utils.Tensor('OUT', only_there.double(\n" +
		"            pb_utils.get_input_tensor_by_name(r, 'IN').as_numpy()))]) for r in requests]\n"
	onlyThere = "def double(x):\n    return x + x\n"
)

// packing is an export of a model with an environment of its own.
type packing struct {
	dir, out string
	opts     handover.Options
}

func newPacking(t *testing.T, python, releaseName string) packing {
	t.Helper()
	p := packing{dir: t.TempDir()}
	p.out = filepath.Join(p.dir, "out")
	model := filepath.Join(p.dir, "models", "doubles")
	write(t, filepath.Join(model, "config.pbtxt"), packedConfig)
	write(t, filepath.Join(model, "1", "model.py"), packedProgram)
	packages := filepath.Join(model, ".venv", "lib", "python"+python, "site-packages")
	write(t, filepath.Join(packages, "only_there", "__init__.py"), onlyThere)
	write(t, filepath.Join(packages, "only_there", "__pycache__", "x.pyc"), "x")
	write(t, filepath.Join(model, ".venv", "pyvenv.cfg"), "home = /nowhere\n")
	p.opts = handover.Options{
		Target: handover.Compose, Roots: []string{filepath.Join(p.dir, "models")}, Pack: filepath.Join(p.out, handover.PackedName),
		Flags: language.Flags{Release: release.Find(releaseName)},
	}
	return p
}

func (p packing) run(t *testing.T) (told string, err error) {
	t.Helper()
	var text strings.Builder
	err = handover.Run(t.Context(), p.opts, handover.Output{Dir: p.out, Files: io.Discard, Told: &text, Interpreter: "python3"})
	return text.String(), err
}

// copied is a file in the copy of the model.
func (p packing) copied(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.opts.Pack, "models", "doubles", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func entries(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for in := tar.NewReader(plain); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		found[head.Name] = head.Linkname + string(text)
	}
}

// TestPacksAnEnvironment: the copy names the archive, the files name the copy, and the repository stays as it is.
func TestPacksAnEnvironment(t *testing.T) {
	p := newPacking(t, "3.12", "24.12")
	if told, err := p.run(t); err != nil {
		t.Fatal(err, told)
	}
	config := string(p.copied(t, "config.pbtxt"))
	if want := packedConfig + "\nparameters { key: \"EXECUTION_ENV_PATH\" value { string_value: \"$$TRITON_MODEL_DIRECTORY/environment.tar.gz\" } }\n"; config != want {
		t.Errorf("the copy's config is %q", config)
	}
	if own, err := os.ReadFile(filepath.Join(p.opts.Roots[0], "doubles", "config.pbtxt")); err != nil || string(own) != packedConfig {
		t.Errorf("the repository's config is %q, %v", own, err)
	}
	if _, err := os.Stat(filepath.Join(p.opts.Pack, "models", "doubles", ".venv")); err == nil {
		t.Error("the copy has a .venv")
	}
	compose, err := os.ReadFile(filepath.Join(p.out, "compose.yaml"))
	if err != nil || !strings.Contains(string(compose), "source: "+filepath.Join(p.opts.Pack, "models")+"\n") {
		t.Errorf("%v\n%s", err, compose)
	}
	first := p.copied(t, "environment.tar.gz")
	in := entries(t, first)
	if in["lib/python3.12/site-packages/only_there/__init__.py"] != onlyThere || in["bin/python3"] != "/usr/bin/python3.12" || len(in) != 5 {
		t.Errorf("%q", in)
	}
	if told, err := p.run(t); err != nil {
		t.Fatal(err, told)
	}
	if !bytes.Equal(first, p.copied(t, "environment.tar.gz")) {
		t.Error("a second export makes another archive of the same packages")
	}
}

// TestPacksNumPy2: the releases whose Python backend takes NumPy 2 get it.
func TestPacksNumPy2(t *testing.T) {
	p := newPacking(t, "3.12", "24.12")
	write(t, filepath.Join(p.opts.Roots[0], "doubles/.venv/lib/python3.12/site-packages/numpy-2.1.0.dist-info/METADATA"), "Name: numpy\n")
	if told, err := p.run(t); err != nil {
		t.Error(err, told)
	}
}

// TestPacksNothingThatWouldNotRun: packages for another Python, or that lie elsewhere, are told before anything is written.
func TestPacksNothingThatWouldNotRun(t *testing.T) {
	other := newPacking(t, "3.12", "24.10")
	editable := newPacking(t, "3.12", "24.12")
	write(t, filepath.Join(editable.opts.Roots[0], "doubles/.venv/lib/python3.12/site-packages/mine.pth"), "/home/me/mine\n")
	empty := newPacking(t, "3.12", "24.12")
	if err := os.RemoveAll(filepath.Join(empty.opts.Roots[0], "doubles/.venv/lib")); err != nil {
		t.Fatal(err)
	}
	newer := newPacking(t, "3.10", "24.10")
	numpy2 := "doubles/.venv/lib/python3.10/site-packages/numpy-2.1.0.dist-info/METADATA"
	write(t, filepath.Join(newer.opts.Roots[0], numpy2), "Name: numpy\n")
	for want, p := range map[string]packing{
		"it has NumPy 2.1.0": newer,
		"are for Python 3.12, and the image has Python 3.10": other,
		"/home/me/mine, which is a path of this machine":     editable,
		"is no environment of Python":                        empty,
	} {
		told, err := p.run(t)
		if !errors.Is(err, handover.ErrNotAll) || !strings.Contains(told, want) {
			t.Errorf("%v, %s", err, told)
		}
		if _, err := os.Stat(p.out); err == nil {
			t.Error("something was written")
		}
	}
}

// TestReplacesNoFolderOfOthers: a folder that no export wrote stays.
func TestReplacesNoFolderOfOthers(t *testing.T) {
	p := newPacking(t, "3.12", "24.12")
	mine := filepath.Join(p.opts.Pack, "mine")
	write(t, mine, "x")
	if _, err := p.run(t); err == nil || !strings.Contains(err.Error(), "no export wrote it") {
		t.Error(err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

package python_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/tensor"
)

// importsProgram imports from a shared folder at load and at the first request, and from its own folder.
const importsProgram = `
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, %q)

import beside
import numpy
import shared.text
import triton_python_backend_utils as pb_utils

made = Path(tempfile.gettempdir()) / "made_by_%s.py"
made.write_text("")
sys.path.insert(0, str(made.parent))
__import__(made.stem)


class TritonPythonModel:
    def execute(self, requests):
        import late
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", late.same(pb_utils.get_input_tensor_by_name(r, "IN").as_numpy()))]) for r in requests]
`

// importLog collects the imports that a backend tells.
type importLog struct {
	mu   sync.Mutex // guards list
	list []backend.Import
}

func (i *importLog) add(list []backend.Import) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = append(i.list, list...)
}

// below returns the paths relative to a folder, sorted.
func (i *importLog) below(t *testing.T, dir string) (paths []string) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, one := range i.list {
		info, err := os.Stat(one.Path)
		if err != nil || one.Look != (backend.FileLook{Size: info.Size(), Modified: info.ModTime().UnixNano()}) {
			t.Errorf("%s looks like %v, %v; told was %v", one.Path, info, err, one.Look)
		}
		path, err := filepath.Rel(dir, one.Path)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// sharedFolder writes modules that lie beside the models.
func sharedFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The files outside of the model's folder are told, those of the first request after it. Files that nobody edits are not: Python's
// own, packages, Conch's, and those that the run itself has made.
func TestImportsAreTold(t *testing.T) {
	dir := sharedFolder(t, map[string]string{
		"shared/__init__.py": "", "shared/text.py": "", "late.py": "import json.tool\ndef same(a):\n    return a\n", "unused.py": "",
		"site-packages/package.py": "",
	})
	name := strings.ReplaceAll(filepath.Base(filepath.Dir(dir)), "-", "_")
	shape := backendtest.Shape{Type: tensor.Bytes, Dims: []int64{1}, MaxBatch: 1}
	spec := specOf(t, fmt.Sprintf(importsProgram, dir, name), config(shape, "IN", "OUT"))
	t.Cleanup(func() { _ = os.Remove(filepath.Join(os.TempDir(), "made_by_"+name+".py")) })
	if err := os.WriteFile(filepath.Join(spec.ModelDir, "beside.py"), []byte("import sys\nsys.path.append("+fmt.Sprintf("%q", filepath.Join(dir, "site-packages"))+")\nimport package\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var imports importLog
	spec.Imported = imports.add
	in, _ := load(t, spec)
	if got, want := imports.below(t, dir), []string{"shared/__init__.py", "shared/text.py"}; !slices.Equal(got, want) {
		t.Errorf("after the load: %v, want %v", got, want)
	}
	for range 2 {
		if _, err := run(t, in, text("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := imports.below(t, dir), []string{"late.py", "shared/__init__.py", "shared/text.py"}; !slices.Equal(got, want) {
		t.Errorf("after two requests: %v, want %v", got, want)
	}
}

// A load that fails tells the file that it fails in, which is not a module then, and what was imported before.
func TestImportsOfAFailedLoad(t *testing.T) {
	for what, c := range map[string]struct{ broken, program string }{
		"no Python":               {"def broken(:\n", "import whole\nimport broken\n"},
		"an exception":            {"1 / 0\n", "import whole\nimport broken\n"},
		"in initialize":           {"1 / 0\n", "import whole\nclass TritonPythonModel:\n    def initialize(self, args):\n        import broken\n    def execute(self, requests):\n        pass\n"},
		"in auto_complete_config": {"1 / 0\n", "import whole\nclass TritonPythonModel:\n    @staticmethod\n    def auto_complete_config(config):\n        import broken\n    def execute(self, requests):\n        pass\n"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := sharedFolder(t, map[string]string{"whole.py": "", "broken.py": c.broken})
			spec := specOf(t, fmt.Sprintf("import sys\nsys.path.insert(0, %q)\n", dir)+c.program, config(backendtest.Shape{Type: tensor.FP32}, "IN", "OUT"))
			var imports importLog
			spec.Imported = imports.add
			b := newBackend(t)
			_, err := b.Complete(t.Context(), spec)
			if err == nil {
				m, loadErr := b.Load(t.Context(), spec)
				if loadErr != nil {
					t.Fatal(loadErr)
				}
				_, err = m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
			}
			got := slices.Compact(imports.below(t, dir))
			if err == nil || !slices.Equal(got, []string{"broken.py", "whole.py"}) {
				t.Errorf("told %v, error %v", got, err)
			}
		})
	}
}

// A load that fails by a module that was not found tells where the module would lie, in folders of installed packages too, so that
// the model is loaded again when it appears. It tells no places in Python's own folders, and none in the model's, which is followed anyway.
func TestPlacesOfAMissingModule(t *testing.T) {
	for program, want := range map[string][]string{
		"import missing\n":        {"missing.py", "missing/__init__.py", "site-packages/missing.py", "site-packages/missing/__init__.py"},
		"import whole.missing\n":  {"whole/missing.py", "whole/missing/__init__.py"},
		"import optional_user\n":  {"site-packages/missing.py", "site-packages/missing/__init__.py", "missing.py", "missing/__init__.py"},
		"import whole, nothing\n": {"nothing.py", "nothing/__init__.py", "site-packages/nothing.py", "site-packages/nothing/__init__.py"},
	} {
		t.Run(strings.TrimSpace(program), func(t *testing.T) {
			dir := sharedFolder(t, map[string]string{
				"whole/__init__.py":              "",
				"site-packages/optional_user.py": "try:\n    import missing\nexcept ImportError as e:\n    raise ImportError('optional_user needs missing') from e\n",
			})
			spec := specOf(t, fmt.Sprintf("import sys\nsys.path[:0] = [%q, %q]\n", dir, filepath.Join(dir, "site-packages"))+program,
				config(backendtest.Shape{Type: tensor.FP32}, "IN", "OUT"))
			var imports importLog
			spec.Imported = imports.add
			if _, err := newBackend(t).Complete(t.Context(), spec); err == nil {
				t.Fatal("the program runs")
			}
			absent := imports.absentBelow(t, dir, spec.ModelDir)
			slices.Sort(want)
			if !slices.Equal(absent, want) {
				t.Errorf("told %v, want %v", absent, want)
			}
		})
	}
}

// absentBelow returns the paths of files that are not there, in Python or as a package, relative to a folder. None may be in the
// folder passed.
func (i *importLog) absentBelow(t *testing.T, dir, passed string) (paths []string) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, one := range i.list {
		if strings.HasPrefix(one.Path, passed) || strings.Contains(one.Path, "/lib-dynload/") {
			t.Errorf("%s is told", one.Path)
		}
		path, err := filepath.Rel(dir, one.Path)
		if err == nil && filepath.IsLocal(path) && one.Look == (backend.FileLook{}) && strings.HasSuffix(path, ".py") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

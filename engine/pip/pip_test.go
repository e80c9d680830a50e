package pip_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/pip"
)

// TestFolderRunsNothing: a folder with modules of the names that pip imports has none of them run.
func TestFolderRunsNothing(t *testing.T) {
	python := os.Getenv("CONCH_PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-I", "-c", "import pip").Run() != nil {
		t.Skipf("%s has no pip", python)
	}
	dir := t.TempDir()
	for _, name := range []string{"pip.py", "runpy.py", "json.py", "typing.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("raise SystemExit('the folder ran')"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	words := append(pip.Command(python), "--version")
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "pip ") {
		t.Errorf("%v: %s", err, out)
	}
}

// A shell that is given the line installs what is meant, and writes no file.
func TestLine(t *testing.T) {
	for want, requirements := range map[string][]string{
		"/usr/bin/python3 -m pip install torch numpy":        {"torch", "numpy"},
		"/usr/bin/python3 -m pip install 'openvino>=2024.0'": {"openvino>=2024.0"},
	} {
		if got := pip.Line("/usr/bin/python3", requirements); got != want {
			t.Errorf("%q becomes %s", requirements, got)
		}
	}
}

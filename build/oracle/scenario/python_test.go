package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/build/oracle/scenario"
	"conch/engine/backend/python"
)

// variable has the stories played on Python, which takes three minutes, and a processor that is free when it is needed.
const variable = "CONCH_SCENARIOS_ON_PYTHON"

// TestScenariosOnPython plays every story with the Python model that the real server ran, and wants the same outcome. Time
// is real here, so a story is told again where the machine was too slow for it.
func TestScenariosOnPython(t *testing.T) {
	if os.Getenv(variable) == "" {
		t.Skip("make test-python runs this, with nothing beside it: " + variable + " is not set")
	}
	paths, err := filepath.Glob("testdata/*" + scenario.Extension)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	program, err := os.ReadFile(filepath.Join("python", "model.py"))
	if err != nil {
		t.Fatal(err)
	}
	dir, interpreter := t.TempDir(), interpreter(t)
	for _, path := range paths {
		c, err := scenario.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			got, want := "", c.Expected()
			for try := 0; try < 3 && (try == 0 || got != want); try++ {
				got = play(t, c, python.New(python.Options{Interpreter: interpreter, Dir: dir}), program)
			}
			if got != want {
				t.Errorf("%s\nit did:\n%swant:\n%s", strings.TrimSpace(c.About), got, want)
			}
		})
	}
}

// interpreter is a Python with NumPy: $CONCH_PYTHON, or that of `make setup-test`.
func interpreter(t *testing.T) string {
	t.Helper()
	path := os.Getenv("CONCH_PYTHON")
	if path == "" {
		path = filepath.Join("..", "..", "cache", "venv", "bin", "python3")
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("this test needs a Python with NumPy, which `make setup-test` installs: %v", err)
	}
	return path
}

//go:build unix

package apptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// program is the path of Conch itself.
var program string

// Program returns the path of Conch itself, which Main built.
func Program() string { return program }

// Main builds the program, runs the tests of a package, and returns their exit status. Its `serve` is
// their engine.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "app-") // short, because the paths of sockets are limited
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, place := range []string{"TMPDIR", "XDG_RUNTIME_DIR"} { // workbenches that are killed leave files there
		_ = os.Setenv(place, dir)
	}
	program = filepath.Join(dir, "conch")
	if out, err := exec.Command("go", "build", "-o", program, "conch").CombinedOutput(); err != nil {
		fmt.Printf("build the program: %v\n%s", err, out)
		return 1
	}
	if os.Getenv("CONCH_ONNXRUNTIME") == "" {
		_ = os.Setenv("CONCH_ONNXRUNTIME", filepath.Join(tree(), "build", "cache", "onnxruntime", "libonnxruntime.so.1"))
	}
	return m.Run()
}

// tree returns the root of the source tree.
func tree() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// UsePython lets the engine find a Python with NumPy.
func UsePython(t *testing.T) {
	t.Helper()
	bin := filepath.Join(tree(), "build", "cache", "venv", "bin")
	if _, err := os.Stat(filepath.Join(bin, "python3")); err != nil {
		t.Fatalf("this test needs a Python with NumPy, which `make setup-test` installs: %v", err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

package rules_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// go.mod marks as indirect what Conch's own code and tests do not import, and nothing else. `go mod tidy` would say it, but it
// needs the tests of all dependencies.
func TestModulesAreMarkedAsTheyAreUsed(t *testing.T) {
	imported := imports(t)
	for _, m := range modules(t) {
		used := false
		for path := range imported {
			used = used || path == m.Path || strings.HasPrefix(path, m.Path+"/")
		}
		if used == m.Indirect {
			t.Errorf("go.mod: %s is imported: %t; it is marked as indirect: %t", m.Path, used, m.Indirect)
		}
	}
}

type module struct {
	Path     string
	Indirect bool
}

// modules are those that go.mod requires.
func modules(t *testing.T) []module {
	t.Helper()
	var file struct{ Require []module }
	if err := json.Unmarshal(output(t, "go", "mod", "edit", "-json"), &file); err != nil || len(file.Require) == 0 {
		t.Fatalf("read go.mod: %v", err)
	}
	return file.Require
}

// imports are the paths that any package or test of Conch imports, with the window and without.
func imports(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, tags := range []string{"", "desktop,production,webkit2_41"} {
		out := output(t, "go", "list", "-tags", tags, "-json=Imports,TestImports,XTestImports", "./...")
		for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct{ Imports, TestImports, XTestImports []string }
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for _, list := range [][]string{p.Imports, p.TestImports, p.XTestImports} {
				for _, path := range list {
					all[path] = true
				}
			}
		}
	}
	return all
}

func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return out
}

package rules_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/build/rules"
)

// goPackage is what `go list -json` tells of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Doc        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T, tags string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", tags, "-json=ImportPath,Dir,Doc,Imports,GoFiles", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// inModule cuts the module's name off an import path; false for packages of others.
func inModule(path string) (string, bool) {
	if path == rules.Module {
		return "", true
	}
	return strings.CutPrefix(path, rules.Module+"/")
}

// partOf is the longest key of the table that the path lies under.
func partOf(path string) string {
	best := ""
	for part := range rules.Allow {
		if part != "" && under(path, part) && len(part) > len(best) {
			best = part
		}
	}
	return best
}

func under(path, part string) bool {
	return path == part || strings.HasPrefix(path, part+"/")
}

func allowed(from, to string) bool {
	part := partOf(from)
	if part != "" && under(to, part) {
		return true
	}
	for _, other := range rules.Allow[part] {
		if under(to, other) {
			return true
		}
	}
	return false
}

func TestImportsFollowTheTable(t *testing.T) {
	for _, tags := range []string{"", "desktop,production,webkit2_41"} {
		for _, p := range packages(t, tags) {
			from, _ := inModule(p.ImportPath)
			for _, imported := range p.Imports {
				to, ours := inModule(imported)
				if ours && !allowed(from, to) {
					t.Errorf("%s imports %s: build/rules/doc.go does not allow it", p.ImportPath, imported)
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range packages(t, "") {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// A table that allows everything would make the test above worthless.
func TestTheTableForbids(t *testing.T) {
	for _, edge := range [][2]string{
		{"engine/control", "app/store"}, {"engine/model", "repo/scan"}, {"repo/scan", "engine/tensor"},
		{"engine/sched", "engine/backend"}, {"configedit/check", "repo/layout"}, {"app/rpc", "engine/model"},
	} {
		if allowed(edge[0], edge[1]) {
			t.Errorf("%s may import %s", edge[0], edge[1])
		}
	}
}

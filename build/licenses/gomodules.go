package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tags are those of the program with its window, which contains the one without.
const tags = "desktop,production,webkit2_41"

// goPackage is what `go list` tells of a package.
type goPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// goModules are the modules that the program's packages are of, with the licences that lie between a package and its
// module's root, and Go itself.
func goModules() ([]work, error) {
	packages, err := goPackages()
	if err != nil {
		return nil, err
	}
	found := map[string]*work{}
	var names []string
	for _, p := range packages {
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		w := found[p.Module.Path]
		if w == nil {
			w = &work{Name: p.Module.Path, Version: p.Module.Version}
			found[w.Name], names = w, append(names, w.Name)
		}
		for dir := p.Dir; strings.HasPrefix(dir, p.Module.Dir); dir = filepath.Dir(dir) {
			texts, err := licenceFiles(dir)
			if err != nil {
				return nil, err
			}
			for _, text := range texts {
				if !slices.Contains(w.Texts, text) {
					w.Texts = append(w.Texts, text)
				}
			}
		}
	}
	slices.Sort(names)
	works := []work{{Name: "Go's standard library and runtime", Texts: goItself(found)}}
	for _, name := range names {
		slices.Sort(found[name].Texts)
		works = append(works, *found[name])
	}
	return works, nil
}

// goItself has the licence of the Go Authors' other modules, word for word; distributions put Go's own file elsewhere.
func goItself(found map[string]*work) []string {
	if sys := found["golang.org/x/sys"]; sys != nil {
		return slices.Clone(sys.Texts)
	}
	return nil
}

func goPackages() ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-deps", "-tags", tags, "-json=Dir,Standard,Module", ".")
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the program's packages: %w", err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the program's packages: %w", err)
		}
		all = append(all, p)
	}
}

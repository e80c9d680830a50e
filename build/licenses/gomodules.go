package main

import (
	"bytes"
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

// systems are those that there are packages for: `make package` and `make package-cross`.
var systems = []struct{ goos, goarch, tags string }{
	{"linux", "amd64", tags}, {"linux", "arm64", ""}, {"windows", "amd64", ""}, {"darwin", "arm64", ""},
}

// goPackages are those of the program on every system, some of them several times.
func goPackages() (all []goPackage, err error) {
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-tags", system.tags, "-json=Dir,Standard,Module", ".")
		cmd.Env = append(cmd.Environ(), "GOOS="+system.goos, "GOARCH="+system.goarch, "CGO_ENABLED=1")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list the program's packages for %s: %w", system.goos, err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p goPackage
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("list the program's packages for %s: %w", system.goos, err)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

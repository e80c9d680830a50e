package python

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"conch/configedit/backends"
)

// programFile is the file that makes a folder a backend.
const programFile = backends.PythonRuntime

// Program is a backend that is a Python program: the class TritonPythonModel of its model.py runs the models of all
// configs that name the backend. Triton calls these Python-based backends.
type Program struct {
	// Name is what a config's backend field says.
	Name string
	// Dir is the folder with model.py, which can import what lies beside it. "" for one that Conch brings.
	Dir string
	Needs
}

// in returns the program with its folder; the zero Program for nil. Those that Conch brings are in our library.
func (p *Program) in(library string) Program {
	if p == nil {
		return Program{}
	}
	found := *p
	if found.Dir == "" {
		found.Dir = filepath.Join(library, "backends", p.Name)
	}
	return found
}

// Based returns the backend of a program. It shares what b has unpacked, and is closed before b.
func (b *Backend) Based(program Program) *Backend {
	based := *b
	based.program, based.options.Needs = &program, program.Needs
	return &based
}

// Brought lists the programs that Conch brings.
func Brought() []Program {
	var list []Program
	for _, row := range backends.All() {
		if row.Program {
			list = append(list, Program{Name: row.Name, Needs: Needs{Modules: row.Modules, Packages: row.Packages, Weight: row.Weight}})
		}
	}
	return list
}

// Programs lists the programs of a folder such as the one of --backend-directory: each is a folder, by the name of the
// backend, with a model.py. Backends that Conch runs itself are left out.
func Programs(dir string) ([]Program, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []Program
	for _, entry := range entries {
		name, folder := entry.Name(), filepath.Join(dir, entry.Name())
		info, err := os.Stat(filepath.Join(folder, programFile))
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir():
		case err != nil:
			return nil, err
		case !backends.Named(name).Runs && name != backends.Ensemble:
			list = append(list, Program{Name: name, Dir: folder})
		}
	}
	return list, nil
}

// settings returns what --backend-config sets for the backend, as JSON; "" for a model that brings its program, and for nothing.
func (b *Backend) settings() string {
	if b.program == nil {
		return ""
	}
	found := map[string]string{}
	for _, line := range b.options.Settings {
		if rest, mine := strings.CutPrefix(line, b.program.Name+","); mine {
			key, value, _ := strings.Cut(rest, "=")
			found[key] = value
		}
	}
	if len(found) == 0 {
		return ""
	}
	text, _ := json.Marshal(found) // a map of texts
	return string(text)
}

// environment returns the environment in the program's folder; "" for none.
func (p *Program) environment() string {
	if p == nil || p.Dir == "" {
		return ""
	}
	own := filepath.Join(p.Dir, ownEnvironment)
	if info, err := os.Stat(own); err != nil || !info.IsDir() {
		return ""
	}
	return own
}

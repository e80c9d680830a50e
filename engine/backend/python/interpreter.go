package python

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"conch/engine/backend"
)

// ownEnvironment is the folder in a model's folder that holds an environment of its own.
const ownEnvironment = ".venv"

// interpreter returns the Python that runs a model: that of the environment in its folder, or the one that the backend's
// settings name, or python3.
func (b *Backend) interpreter(spec backend.Spec) (string, error) {
	own := filepath.Join(spec.ModelDir, ownEnvironment)
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return inEnvironment(own)
	}
	return b.usual()
}

// usual returns the Python of models that ask for none.
func (b *Backend) usual() (string, error) {
	wanted := b.options.Interpreter
	if wanted == "" {
		wanted = "python3"
	}
	found, err := exec.LookPath(wanted)
	switch {
	case err == nil:
		return found, nil
	case b.options.Interpreter != "":
		return "", fmt.Errorf("the interpreter '%s' of --backend-config=python,%s cannot be run: %w", wanted, interpreterKey, err)
	}
	return "", errors.New("python3 was not found on PATH: install Python 3.9 or newer with NumPy, or name an interpreter with " +
		"--backend-config=python," + interpreterKey + "=/path/to/python3")
}

// inEnvironment returns the interpreter of an environment's folder.
func inEnvironment(dir string) (string, error) {
	for _, name := range []string{"bin/python3", "bin/python", "Scripts/python.exe"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("the environment %s has no bin/python3", dir)
}

package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"conch/engine/backend"
	"conch/engine/infer"
)

// ownEnvironment is the folder in a model's folder that holds an environment of its own.
const ownEnvironment = ".venv"

// interpreter returns the Python that runs a model, and the folder of its environment: the one that the config names, else
// that in the model's folder. Where there is none, "" and the Python of the backend's settings, or python3.
func (b *Backend) interpreter(ctx context.Context, spec backend.Spec) (path, environment string, err error) {
	environment, err = b.environments.named(ctx, spec)
	if err != nil {
		return "", "", err
	}
	own := filepath.Join(spec.ModelDir, ownEnvironment)
	if info, err := os.Stat(own); environment == "" && err == nil && info.IsDir() {
		environment = own
	}
	if environment == "" {
		path, err = b.usual()
	} else {
		path, err = inEnvironment(environment)
	}
	if err != nil {
		return "", "", infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	return path, environment, nil
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
		return "", fmt.Errorf("the interpreter '%s', which --backend-config=python,%s or CONCH_PYTHON names, cannot be run: %w", wanted, interpreterKey, err)
	}
	return "", errors.New("python3 was not found on PATH: install Python 3.9 or newer with NumPy, or name an interpreter with " +
		"CONCH_PYTHON=/path/to/python3 or --backend-config=python," + interpreterKey + "=/path/to/python3")
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

package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"conch/configedit/reach"
	"conch/engine/backend"
	"conch/engine/backend/python/environments"
	"conch/engine/infer"
)

// ownEnvironment is the folder in a model's folder that holds an environment of its own.
const ownEnvironment = ".venv"

// interpreter returns the Python that runs a model, and the folder of its environment: the one that the config names, else
// that in the model's folder, else that of its requirements.txt. Where there is none, the Python of the backend's settings, or python3, and "";
// or Conch's own environment with the packages of the backend.
//
// What lies in the model's folder is used for models that are programs only: the engine has asked for trust then.
func (b *Backend) interpreter(ctx context.Context, spec backend.Spec) (path, environment string, err error) {
	b.install.forget(spec.ModelDir)
	if len(reach.Code(spec.Config)) > 0 {
		if environment, err = b.brought(ctx, spec); err != nil {
			return "", "", err
		}
	}
	if environment == "" {
		environment = b.program.environment()
	}
	if environment == "" {
		return b.shared(ctx, spec)
	}
	if path, err = environments.InterpreterIn(environment); err != nil {
		return "", "", infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	return path, environment, b.has(ctx, spec, path)
}

// brought returns the folder of the environment that a model brings or asks for; "" for none.
func (b *Backend) brought(ctx context.Context, spec backend.Spec) (string, error) {
	environment, err := b.packed.named(ctx, spec)
	if err != nil || environment != "" {
		return environment, err
	}
	own := filepath.Join(spec.ModelDir, ownEnvironment)
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return own, nil
	}
	return b.listed(ctx, spec)
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

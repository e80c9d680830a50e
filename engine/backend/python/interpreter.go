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

// interpreter is the Python that runs a model.
type interpreter struct {
	path        string
	environment string // its folder; "" for an interpreter without one
	// activation is the script that sets the environment's variables, as packages of Conda need them; "" for none.
	activation string
}

// interpreter returns the Python that runs a model, with its environment: the one that the config names, else that in the
// model's folder, else that of its requirements.txt. Where there is none, the Python of the backend's settings, or python3;
// or Conch's own environment with the packages of the backend.
//
// What lies in the model's folder is used for models that are programs only: the engine has asked for trust then.
func (b *Backend) interpreter(ctx context.Context, spec backend.Spec) (found interpreter, err error) {
	b.install.forget(spec.ModelDir)
	if len(reach.Code(spec.Config)) > 0 {
		if found, err = b.brought(ctx, spec); err != nil {
			return found, err
		}
	}
	if found.environment == "" {
		found.environment = b.program.environment()
	}
	if found.environment == "" {
		return b.shared(ctx, spec)
	}
	if found.path, err = environments.InterpreterIn(found.environment); err != nil {
		return found, infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	return found, b.has(ctx, spec, found.path)
}

// brought returns the environment that a model brings or asks for; the zero value for none.
func (b *Backend) brought(ctx context.Context, spec backend.Spec) (found interpreter, err error) {
	if found.environment, err = b.packed.named(ctx, spec); err != nil || found.environment != "" {
		found.activation = activationOf(spec, found.environment)
		return found, err
	}
	own := filepath.Join(spec.ModelDir, ownEnvironment)
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return interpreter{environment: own}, nil
	}
	found.environment, err = b.listed(ctx, spec)
	return found, err
}

// activationOf returns the script that activates an environment; "" where it has none, and where there is no bash to read it.
func activationOf(spec backend.Spec, environment string) string {
	script := filepath.Join(environment, "bin", "activate")
	if info, err := os.Stat(script); err != nil || info.IsDir() {
		return ""
	}
	if _, err := exec.LookPath("bash"); err != nil {
		spec.Log.Warn("the environment of the model is not activated: its bin/activate is for bash, which is not installed", "environment", environment)
		return ""
	}
	return script
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

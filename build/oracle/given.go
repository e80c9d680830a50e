package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	// tritonEnv names a command that serves the repository it is given on $HTTP_PORT, and passes other arguments on.
	tritonEnv = "CONCH_TRITON"
	// backendsEnv names the folder of that server's backends.
	backendsEnv = "CONCH_TRITON_BACKENDS"
)

// given is a tritonserver that is on the machine already, with backends that the package lacks; nil where there is none.
type given struct{ command, backends string }

// givenServer reads the environment.
func givenServer() (*given, error) {
	command := os.Getenv(tritonEnv)
	if command == "" {
		return nil, nil
	}
	backends := os.Getenv(backendsEnv)
	if info, err := os.Stat(backends); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is set, but %s=%q is no folder; set it to the folder that holds the server's backends", tritonEnv, backendsEnv, backends)
	}
	return &given{command: command, backends: backends}, nil
}

// has tells whether the server has a backend.
func (g *given) has(backend string) bool {
	if g == nil {
		return false
	}
	_, err := os.Stat(filepath.Join(g.backends, backend, "libtriton_"+backend+".so"))
	return err == nil
}

// install links the backends, since ours comes beside them and the folder may not be ours to write. A copy would not find
// the libraries that a backend names relative to itself.
func (g *given) install(to string) error {
	entries, err := os.ReadDir(g.backends)
	if err != nil {
		return fmt.Errorf("read the backends of %s: %w", backendsEnv, err)
	}
	real, err := filepath.Abs(g.backends)
	if err != nil {
		return fmt.Errorf("find the backends of %s: %w", backendsEnv, err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("make a folder for the backends: %w", err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(real, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return fmt.Errorf("link the backends of %s: %w", backendsEnv, err)
		}
	}
	return nil
}

// start makes the command that serves a repository.
func (g *given) start(ctx context.Context, repository string, port int, flags []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.command, append([]string{repository}, flags...)...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("HTTP_PORT=%d", port))
	return cmd
}

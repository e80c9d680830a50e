package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// install copies the backends, since ours comes beside them and the folder may not be ours to write.
func (g *given) install(to string) error {
	err := os.CopyFS(to, regular{os.DirFS(g.backends)})
	if err != nil {
		return fmt.Errorf("copy the backends of %s: %w", backendsEnv, err)
	}
	return nil
}

// regular is a file system that reads through links, so that a copy holds no links.
type regular struct{ fs.FS }

func (r regular) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.FS, name)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		info, err := fs.Stat(r.FS, strings.TrimPrefix(name+"/"+e.Name(), "./"))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("follow the link %s", e.Name()), err)
		}
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, nil
}

// start makes the command that serves a repository.
func (g *given) start(ctx context.Context, repository string, port int, flags []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.command, append([]string{repository}, flags...)...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("HTTP_PORT=%d", port))
	return cmd
}

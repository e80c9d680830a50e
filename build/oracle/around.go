package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// launcher starts the environment's server as the commands that tritonEnv names do.
const launcher = `#!/bin/sh
repository=$1
shift
export PATH=%[1]q:"$PATH" LD_LIBRARY_PATH=%[2]q
exec %[3]q --model-repository="$repository" --backend-directory=%[4]q --cache-directory=%[5]q --http-address=127.0.0.1 --http-port="$HTTP_PORT" \
  --grpc-address=127.0.0.1 --grpc-port="$GRPC_PORT" --metrics-address=127.0.0.1 --metrics-port="$METRICS_PORT" \
  --allow-gpu-metrics=false --pinned-memory-pool-byte-size=0 --backend-config=python,shm-region-prefix-name=oracle_$$ "$@"
`

// around runs a command of the shell that starts the real server itself, through the command that tritonEnv names. Where that
// is not set, it names the server of the environment.
func around(ctx context.Context, venv, command string) error {
	work, err := os.MkdirTemp("", "conch-oracle-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, os.Environ()
	if os.Getenv(tritonEnv) == "" {
		path, err := writeLauncher(venv, work)
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, tritonEnv+"="+path)
	}
	return cmd.Run()
}

// writeLauncher lays out the environment's server in a folder, with the command that starts it.
func writeLauncher(venv, work string) (string, error) {
	s := &server{venv: venv, work: work, repository: filepath.Join(work, "models")}
	if err := s.install(); err != nil {
		return "", err
	}
	home, err := s.home()
	if err != nil {
		return "", err
	}
	packages := filepath.Dir(filepath.Dir(home))
	libraries := pythonLibraries(venv) + ":" + filepath.Join(packages, "nvidia_pytriton.libs")
	text := fmt.Sprintf(launcher, filepath.Join(venv, "bin"), libraries, filepath.Join(home, "bin", "tritonserver"),
		filepath.Join(work, "backends"), filepath.Join(home, "caches"))
	path := filepath.Join(work, "triton")
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		return "", fmt.Errorf("write the command that starts the server: %w", err)
	}
	return path, nil
}

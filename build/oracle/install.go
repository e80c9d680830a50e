package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed identity/identity.c
var identitySource []byte

// home is where the Python package keeps its server.
func (s *server) home() (string, error) {
	found, err := filepath.Glob(filepath.Join(s.venv, "lib", "python3*", "site-packages", "pytriton", "tritonserver"))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("no tritonserver under %s: run `make oracle`, which installs build/oracle/requirements.txt there", s.venv)
	}
	return found[0], nil
}

func (s *server) binary() (string, error) {
	home, err := s.home()
	return filepath.Join(home, "bin", "tritonserver"), err
}

// install lays out the folder of backends: those of the server, and ours, compiled.
func (s *server) install() error {
	backends := filepath.Join(s.work, "backends")
	if err := os.MkdirAll(s.repository, 0o755); err != nil {
		return fmt.Errorf("make the folders: %w", err)
	}
	lay := s.installPython
	if s.given != nil {
		lay = s.given.install
	}
	return errors.Join(lay(backends), installIdentity(backends))
}

// installPython lays out the Python backend of the package.
func (s *server) installPython(backends string) error {
	home, err := s.home()
	if err != nil {
		return err
	}
	python := filepath.Join(backends, "python")
	if err := os.MkdirAll(python, 0o755); err != nil {
		return fmt.Errorf("make the folders: %w", err)
	}
	stub := filepath.Join(home, "python_backend_stubs", pythonVersion(home), "triton_python_backend_stub")
	look := lookFor(home)
	own := filepath.Join(home, "backends", "python")
	err = errors.Join(
		copyFile(filepath.Join(python, "libtriton_python.so"), filepath.Join(own, "libtriton_python.so"), ""),
		copyFile(filepath.Join(python, "triton_python_backend_utils.py"), filepath.Join(own, "triton_python_backend_utils.py"), look),
		copyFile(filepath.Join(python, "triton_python_backend_stub"), stub, ""),
	)
	if err != nil {
		return fmt.Errorf("lay out the Python backend: %w", err)
	}
	return nil
}

// installIdentity compiles the backend that takes every config.
func installIdentity(backends string) error {
	identity := filepath.Join(backends, "identity")
	if err := os.MkdirAll(identity, 0o755); err != nil {
		return fmt.Errorf("make the folders: %w", err)
	}
	compile := exec.Command("cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", filepath.Join(identity, "libtriton_identity.so"))
	compile.Stdin = strings.NewReader(string(identitySource))
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("compile identity/identity.c: %w\n%s", err, out)
	}
	return nil
}

// lookFor stands before a Python file of the server's: its Python does not look into the environment by itself.
func lookFor(home string) string {
	return fmt.Sprintf("import sys\nsys.path.append(%q)\n", filepath.Dir(filepath.Dir(home)))
}

// copyFile copies a program or library, with something before it; a link would lead out of the folder of backends, which the server refuses.
func copyFile(to, from, before string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, append([]byte(before), content...), 0o755)
}

// pythonVersion is the environment's, such as 3.11: the name of its folder under lib.
func pythonVersion(home string) string {
	lib := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(home))))
	return strings.TrimPrefix(lib, "python")
}

// pythonLibraries is where the Python that made an environment keeps libpython, which the stub needs.
func pythonLibraries(venv string) string {
	out, err := exec.Command(filepath.Join(venv, "bin", "python"), "-c",
		"import sysconfig; print(sysconfig.get_config_var('LIBDIR') or '')").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

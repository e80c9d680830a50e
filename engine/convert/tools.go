package convert

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"conch/engine/backend/python"
	"conch/engine/backend/python/environments"
)

// requirements are the pinned packages, with their hashes; made of requirements.in.
//
//go:embed requirements.txt
var requirements string

// Weight is about what the packages weigh when they are downloaded.
const Weight = "50 MiB"

// InterpreterVariable names the Python that environments are made with, as for Python models.
const InterpreterVariable = "CONCH_PYTHON"

// tensorrt is the module of TensorRT's builder.
const tensorrt = "tensorrt"

// modules are what the worker imports.
var modules = []string{"onnx", "onnxruntime.quantization", "onnxruntime.transformers.float16"}

// ErrNotInstalled means that the packages are not there yet.
var ErrNotInstalled = errors.New("the tools that convert models are not installed")

// Tools are where the tools of a user are.
type Tools struct {
	// Dir is the folder of Conch's own environments.
	Dir string
	// Cache is a folder for Conch's Python code.
	Cache string
	Log   *slog.Logger

	store *environments.Store
}

// Open opens the tools. They are closed at the end.
func (t *Tools) Open() {
	t.store = python.OwnEnvironments(t.Dir)
	if t.Log == nil {
		t.Log = slog.New(slog.DiscardHandler)
	}
}

// Close ends the use of the environments.
func (t *Tools) Close() { t.store.Close() }

// Packages are what an installation brings to a Python from 3.11 on: "onnx==1.23.2".
func Packages() (list []string) {
	for line := range strings.Lines(requirements) {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(name, "onnx") && !strings.Contains(line, "< '3.11'") {
			list = append(list, strings.TrimSpace(name))
		}
	}
	return list
}

// wanted is the environment with the packages. dir is where the list of packages is written.
func (t *Tools) wanted(dir string) (environments.Wanted, error) {
	interpreter, err := python.Usual(os.Getenv(InterpreterVariable))
	if err != nil {
		return environments.Wanted{}, err
	}
	file := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(file, []byte(requirements), 0o600); err != nil {
		return environments.Wanted{}, err
	}
	list, err := environments.Read(file)
	return environments.Wanted{Interpreter: interpreter, Requirements: list, For: "converting models"}, err
}

// Python returns the Python that has the packages: that of Conch's own environment, else the usual one where it has them all. The error is
// ErrNotInstalled where neither has.
func (t *Tools) Python(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "conch-convert-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	w, err := t.wanted(dir)
	if err != nil {
		return "", err
	}
	id, err := t.store.ID(ctx, w)
	if err != nil {
		return "", err
	}
	if e, there := t.store.Find(id); there {
		return e.Interpreter()
	}
	lacks, err := t.store.Lacks(ctx, w.Interpreter, modules...)
	if err != nil {
		return "", err
	}
	if len(lacks) > 0 {
		return "", fmt.Errorf("%w: %s lacks %s", ErrNotInstalled, w.Interpreter, strings.Join(lacks, ", "))
	}
	return w.Interpreter, nil
}

// Install installs the packages into an environment of Conch's own.
func (t *Tools) Install(ctx context.Context, tell func(string)) error {
	dir, err := os.MkdirTemp("", "conch-convert-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	w, err := t.wanted(dir)
	if err != nil {
		return err
	}
	id, err := t.store.ID(ctx, w)
	if err != nil {
		return err
	}
	_, err = t.store.Make(ctx, id, w, tell, t.Log)
	return err
}

// Builder returns the Python that has TensorRT, and its version. The error says what to do where none has.
func (t *Tools) Builder(ctx context.Context) (interpreter, version string, err error) {
	interpreter, err = python.Usual(os.Getenv(InterpreterVariable))
	if err != nil {
		return "", "", err
	}
	lacks, err := t.store.Lacks(ctx, interpreter, tensorrt, "numpy")
	if err != nil {
		return "", "", err
	}
	if len(lacks) > 0 {
		return "", "", fmt.Errorf("TensorRT is not installed: %s has no module %s. On a machine with an NVIDIA GPU, install the version of TensorRT that serves "+
			"the plan (%s -m pip install tensorrt), or name a Python that has it with %s", interpreter, strings.Join(lacks, " and no "), interpreter, InterpreterVariable)
	}
	version, err = t.store.Ask(ctx, interpreter, "import tensorrt; print(tensorrt.__version__)")
	if err != nil {
		return "", "", fmt.Errorf("TensorRT cannot be imported: %w", err)
	}
	return interpreter, strings.TrimSpace(version), nil
}

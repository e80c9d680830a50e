package python_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// interpreter is the Python of the tests, which has NumPy: $CONCH_PYTHON, or that of `make setup-test`.
func interpreter(t testing.TB) string {
	t.Helper()
	path := os.Getenv("CONCH_PYTHON")
	if path == "" {
		path = filepath.Join("..", "..", "..", "build", "cache", "venv", "bin", "python3")
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("these tests need a Python with NumPy, which `make setup-test` installs: %v", err)
	}
	return path
}

func newBackend(t testing.TB) *python.Backend {
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// specOf writes a model whose program is text.
func specOf(t testing.TB, text string, cfg *modelconfig.ModelConfig) backend.Spec {
	t.Helper()
	dir := t.TempDir()
	version := filepath.Join(dir, "1")
	file := filepath.Join(version, "model.py")
	if err := os.Mkdir(version, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return backend.Spec{
		Name: "m", Version: 1, ModelDir: dir, VersionDir: version, File: file, Config: cfg, Log: slog.New(slog.DiscardHandler),
	}
}

// config returns a config with inputs and outputs by turns.
func config(s backendtest.Shape, names ...string) *modelconfig.ModelConfig {
	cfg := &modelconfig.ModelConfig{Name: "m", Backend: "python", MaxBatchSize: s.MaxBatch}
	for i := 0; i+1 < len(names); i += 2 {
		cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: names[i], DataType: modelconfig.DataType(s.Type), Dims: s.Dims})
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{Name: names[i+1], DataType: modelconfig.DataType(s.Type), Dims: s.Dims})
	}
	return cfg
}

// allTypes are those of Triton, without BF16, for which NumPy has no type.
func allTypes() []tensor.DataType {
	var types []tensor.DataType
	for dt := tensor.Bool; dt < tensor.BF16; dt++ {
		types = append(types, dt)
	}
	return types
}

package python_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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

func text(s string) tensor.Tensor {
	return tensor.Tensor{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1, 1}, Data: append([]byte{byte(len(s)), 0, 0, 0}, s...)}
}

// lines is a log that gives each message to a channel.
type lines chan string

func (l lines) Enabled(context.Context, slog.Level) bool { return true }
func (l lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l lines) WithGroup(string) slog.Handler            { return l }
func (l lines) Handle(_ context.Context, r slog.Record) error {
	l <- r.Message
	return nil
}

// until waits for a line that begins with a text.
func (l lines) until(begins string) string {
	for line := range l {
		if strings.HasPrefix(line, begins) {
			return line
		}
	}
	return ""
}

// load loads a model with one instance, and returns its log.
func load(t *testing.T, spec backend.Spec) (backend.Instance, lines) {
	t.Helper()
	log := make(lines, 1<<18)
	spec.Log = slog.New(log)
	m, err := newBackend(t).Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	return in, log
}

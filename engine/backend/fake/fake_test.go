package fake_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/fake"
	"conch/engine/tensor"
)

func TestConformance(t *testing.T) {
	var types []tensor.DataType
	for dt := tensor.Bool; dt <= tensor.BF16; dt++ {
		types = append(types, dt)
	}
	backendtest.Run(t, backendtest.Subject{
		New:   func(*testing.T) backend.Backend { return &fake.Backend{Mortal: true} },
		Types: types,
		Identity: func(t *testing.T, s backendtest.Shape) backend.Spec {
			return specOf(t, "fine", config(s, "IN", "OUT"))
		},
		Pair: func(t *testing.T, s backendtest.Shape) backend.Spec {
			return specOf(t, "fine", config(s, "IN0", "OUT0", "IN1", "OUT1"))
		},
		Ragged: func(t *testing.T, cfg *modelconfig.ModelConfig) backend.Spec {
			cfg.Name, cfg.Backend = "m", fake.Name
			return specOf(t, "fine", cfg)
		},
		Bare: func(t *testing.T, s backendtest.Shape) backend.Spec {
			return specOf(t, fake.Tells+prototext.Format(config(s, "IN", "OUT")), config(backendtest.Shape{}))
		},
		Counts: func(t *testing.T) backend.Spec {
			cfg := config(backendtest.Shape{Type: tensor.Int32, Dims: []int64{1}, MaxBatch: 4}, "IN", "OUT")
			cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
			return specOf(t, fake.Later, cfg)
		},
		Calls: func(t *testing.T, other string) backend.Spec {
			return specOf(t, fake.Calls+other, config(backendtest.Shape{Type: tensor.Int32, Dims: []int64{2}, MaxBatch: 4}, "IN", "OUT"))
		},
		Unready: func(t *testing.T) backend.Spec { return specOf(t, "unready", config(backendtest.Shape{})) },
		Kill:    func(_ *testing.T, in backend.Instance) { in.(*fake.Mortal).Kill(errors.New("killed")) },
		Broken:  func(t *testing.T) backend.Spec { return specOf(t, "broken: on purpose", config(backendtest.Shape{})) },
	})
}

func config(s backendtest.Shape, names ...string) *modelconfig.ModelConfig {
	cfg := &modelconfig.ModelConfig{Name: "m", Backend: fake.Name, MaxBatchSize: s.MaxBatch}
	for i := 0; i+1 < len(names); i += 2 {
		cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: names[i], DataType: modelconfig.DataType(s.Type), Dims: s.Dims})
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{Name: names[i+1], DataType: modelconfig.DataType(s.Type), Dims: s.Dims})
	}
	return cfg
}

func specOf(t *testing.T, text string, cfg *modelconfig.ModelConfig) backend.Spec {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, fake.File)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return backend.Spec{Name: "m", Version: 1, ModelDir: dir, VersionDir: dir, File: file, Config: cfg, Log: slog.New(slog.DiscardHandler)}
}

package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"conch/engine/backend/fake"
	"conch/engine/infer"
)

// Rules L16 and L18, and a library that exists (docs/triton/schedulers.md, "Custom batching").
func TestBatchingLibrary(t *testing.T) {
	there := filepath.Join(t.TempDir(), "batchstrategy.so")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(path string) string {
		return batched + fmt.Sprintf("parameters { key: \"TRITON_BATCH_STRATEGY_PATH\" value { string_value: %q } }\n", path)
	}
	_, err := load(&fake.Backend{}, folder(t, with("nosuch.so"), nil))
	if infer.CodeOf(err) != infer.NotFound || err == nil || err.Error() != "Batching library path not found: nosuch.so" {
		t.Errorf("a missing one: %v", err)
	}
	if _, err = load(&fake.Backend{}, folder(t, with(there), nil)); infer.CodeOf(err) != infer.Unsupported {
		t.Errorf("one that is there: %v", err)
	}
	v, err := load(&fake.Backend{}, folder(t, with(there)+"sequence_batching {}", nil))
	if err != nil {
		t.Fatalf("with sequence batching: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

package model

import (
	"os"

	"conch/configedit/modelconfig"
	"conch/configedit/reach"
	"conch/engine/infer"
)

// checkStrategy is about a library of the model's own that decides which requests are joined (triton-config B.8, L16 to L20a):
// made for Triton's process, it cannot be opened here.
func checkStrategy(cfg *modelconfig.ModelConfig) error {
	path := cfg.Parameters[reach.BatchStrategy].GetStringValue()
	if path == "" || cfg.GetSequenceBatching() != nil { // Triton warns and goes on
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return infer.Errorf(infer.NotFound, "Batching library path not found: %s", path)
	}
	return infer.Errorf(infer.Unsupported, "model '%s' is valid for Triton, but its batching library %s can be opened by Triton alone: "+
		"take TRITON_BATCH_STRATEGY_PATH out of its parameters to run it with the standard strategy", cfg.Name, path)
}

package model

import (
	"os"

	"conch/configedit/modelconfig"
	"conch/configedit/reach"
	"conch/engine/infer"
)

// checkStrategy refuses a config that names its own batching library (rules L16 to L20; docs/triton/schedulers.md, "Custom
// batching"). Such a library works only inside Triton's process.
func checkStrategy(cfg *modelconfig.ModelConfig) error {
	path := cfg.Parameters[reach.BatchStrategy].GetStringValue()
	if path == "" || cfg.GetSequenceBatching() != nil { // Triton warns and ignores it
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return infer.Errorf(infer.NotFound, "Batching library path not found: %s", path)
	}
	return infer.Errorf(infer.Unsupported, "model '%s' is valid for Triton, but its batching library %s can be opened by Triton alone: "+
		"take TRITON_BATCH_STRATEGY_PATH out of its parameters to run it with the standard strategy", cfg.Name, path)
}

package model

import (
	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// checkConfig refuses a config that cannot be planned with, in the order and words of Triton's ValidateModelConfig
// (triton-config B.1, B.3) followed by the folder's name (L5).
func checkConfig(cfg *modelconfig.ModelConfig, folder string) error {
	ensemble := cfg.Platform == "ensemble"
	switch {
	case cfg.Backend == "" && !ensemble:
		return infer.Errorf(infer.InvalidArg, "unexpected platform type '%s' for %s", cfg.Platform, cfg.Name)
	case cfg.Backend != "" && ensemble:
		return infer.Errorf(infer.InvalidArg, "Ensemble model '%s' must have platform type 'ensemble' and empty backend type", cfg.Name)
	case !familyFits(cfg):
		return infer.Errorf(infer.InvalidArg, "unexpected 'platform' and 'backend' pair, got:%s, %s", cfg.Platform, cfg.Backend)
	case cfg.MaxBatchSize < 0:
		return infer.Errorf(infer.InvalidArg, "'max_batch_size' must be non-negative value for %s", cfg.Name)
	}
	if err := checkScheduling(cfg, ensemble); err != nil {
		return err
	}
	if cfg.Name != folder {
		return infer.Errorf(infer.InvalidArg, "unexpected directory name '%s' for model '%s', directory name must equal model name", folder, cfg.Name)
	}
	return nil
}

// families are the platforms that go with a backend Triton knows (G5); any other backend takes any platform.
var families = map[string][]string{
	"tensorflow":  {"tensorflow_graphdef", "tensorflow_savedmodel"},
	"tensorrt":    {"tensorrt_plan"},
	"onnxruntime": {"onnxruntime_onnx"},
	"pytorch":     {"pytorch_libtorch", "torch_aoti"},
}

func familyFits(cfg *modelconfig.ModelConfig) bool {
	platforms, known := families[cfg.Backend]
	if !known {
		return true
	}
	for _, p := range platforms {
		if p == cfg.Platform {
			return true
		}
	}
	return false
}

func checkScheduling(cfg *modelconfig.ModelConfig, ensemble bool) error {
	steps := cfg.GetEnsembleScheduling()
	switch {
	case ensemble && steps == nil:
		return infer.Errorf(infer.InvalidArg, "ensemble scheduling must be set for ensemble %s whose platform is ensemble", cfg.Name)
	case steps != nil:
		return checkSteps(cfg)
	}
	for _, size := range cfg.GetDynamicBatching().GetPreferredBatchSize() {
		switch {
		case size <= 0:
			return infer.Errorf(infer.InvalidArg, "dynamic batching preferred size must be positive for %s", cfg.Name)
		case size > cfg.MaxBatchSize:
			return infer.Errorf(infer.InvalidArg, "dynamic batching preferred size must be <= max batch size for %s", cfg.Name)
		}
	}
	return nil
}

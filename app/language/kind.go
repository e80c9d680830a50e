package language

import (
	"strings"

	"conch/configedit/modelconfig"
)

// kinds are the words people use, by backend.
var kinds = map[string]string{
	"onnxruntime": "ONNX",
	"python":      "Python",
	"pytorch":     "PyTorch",
	"tensorrt":    "TensorRT",
	"tensorflow":  "TensorFlow",
	"openvino":    "OpenVINO",
	"dali":        "DALI",
	"fil":         "FIL",
	"vllm":        "vLLM",
	"tensorrtllm": "TensorRT-LLM",
	"identity":    "Identity",
}

// Kind is what people call a model of this effective config: "Ensemble", "ONNX", or the backend's own name.
func Kind(cfg *modelconfig.ModelConfig) string {
	if IsEnsemble(cfg) {
		return "Ensemble"
	}
	backend := cfg.GetBackend()
	if backend == "" {
		backend, _, _ = strings.Cut(cfg.GetPlatform(), "_")
	}
	if word := kinds[backend]; word != "" {
		return word
	}
	return backend
}

// IsEnsemble says whether a config describes an ensemble.
func IsEnsemble(cfg *modelconfig.ModelConfig) bool {
	return cfg.GetPlatform() == "ensemble" || cfg.GetEnsembleScheduling() != nil
}

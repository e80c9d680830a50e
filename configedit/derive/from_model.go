package derive

import "conch/configedit/modelconfig"

// FromModel makes a config for a model file, as somebody would write it: backend, batching and tensors, without
// what Triton fills in by itself anyway. The name is left to the folder. The error is a *Problem.
func FromModel(model *ONNXModel) (*modelconfig.ModelConfig, []Filled, error) {
	cfg := &modelconfig.ModelConfig{Backend: "onnxruntime"}
	filled, err := CompleteONNX(cfg, model)
	return cfg, filled, err
}

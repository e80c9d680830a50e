package folder

import "path"

// Folders of a model that have a meaning of their own.
const (
	// Variants holds alternative configs, chosen by --model-config-name.
	Variants = "configs"
	// Warmup holds the files named by model_warmup.input_data_file.
	Warmup = "warmup"
	// InitialState holds the files named by
	// sequence_batching.state.initial_state.data_file.
	InitialState = "initial_state"
)

// Reserved reports whether a folder of a model has a meaning of its own, so that
// Triton skips it silently when it looks for versions.
func Reserved(name string) bool {
	return name == Variants || name == Warmup || name == InitialState
}

// ConfigName is the name of a model's config.
const ConfigName = "config.pbtxt"

// IsConfig reports whether a file of a model's folder, by its path there, is a config: the main one, or a variant.
func IsConfig(rel string) bool {
	return path.Base(rel) == ConfigName || path.Dir(rel) == Variants && path.Ext(rel) == ".pbtxt"
}

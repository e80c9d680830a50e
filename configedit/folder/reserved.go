package folder

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

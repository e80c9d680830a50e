package layout

import "path"

// ModelFile is one place where a backend expects its model.
type ModelFile struct {
	// Backend is the name that config.backend has for it.
	Backend string
	// Platform is the older name in config.platform, where there is one.
	Platform string
	// Name is the default file name inside a version folder.
	Name string
	// Folder says that the model may be a folder of that name.
	Folder bool
}

// ModelFiles lists the default model files in the order in which Triton looks
// for them when a config names no backend (model_config_utils.cc,
// AutoCompleteBackendFields).
func ModelFiles() []ModelFile {
	return []ModelFile{
		{Backend: "tensorflow", Platform: "tensorflow_savedmodel", Name: "model.savedmodel", Folder: true},
		{Backend: "tensorflow", Platform: "tensorflow_graphdef", Name: "model.graphdef"},
		{Backend: "tensorrt", Platform: "tensorrt_plan", Name: "model.plan"},
		{Backend: "onnxruntime", Platform: "onnxruntime_onnx", Name: "model.onnx", Folder: true},
		{Backend: "openvino", Name: "model.xml"},
		{Backend: "pytorch", Platform: "pytorch_libtorch", Name: "model.pt"},
		{Backend: "pytorch", Platform: "torch_aoti", Name: "model.pt2"},
		{Backend: "python", Name: "model.py"},
	}
}

// DefaultFile gives the file a backend opens when the config names none, or
// "" for a backend that has no such rule.
func DefaultFile(backend string) string {
	for _, f := range ModelFiles() {
		if f.Backend == backend {
			return f.Name
		}
	}
	return ""
}

// BackendOf tells which backend's default model file this is, by base name.
func BackendOf(file string) (ModelFile, bool) {
	base := path.Base(file)
	for _, f := range ModelFiles() {
		if f.Name == base {
			return f, true
		}
	}
	return ModelFile{}, false
}

// IsModelFile says whether a name looks like a model of some kind, default
// name or not: what a person would have copied in as "the model".
func IsModelFile(file string) bool {
	if _, ok := BackendOf(file); ok {
		return true
	}
	switch path.Ext(file) {
	case ".onnx", ".pt", ".pt2", ".plan", ".engine", ".savedmodel", ".graphdef", ".pdmodel", ".tflite", ".safetensors":
		return true
	}
	return false
}

package backends

import (
	"slices"
	"strings"

	"conch/configedit/modelconfig"
)

// The names that a config's backend field has for the backends in the table.
const (
	TensorFlow  = "tensorflow"
	TensorRT    = "tensorrt"
	ONNXRuntime = "onnxruntime"
	OpenVINO    = "openvino"
	PyTorch     = "pytorch"
	Python      = "python"
	DALI        = "dali"
	FIL         = "fil"
	Identity    = "identity"
	Repeat      = "repeat"
	Square      = "square"
	VLLM        = "vllm"
	TensorRTLLM = "tensorrtllm"

	FasterTransformer = "fastertransformer"
)

// Ensemble is the platform of a model that is made of other models. It has no backend.
const Ensemble = "ensemble"

// Backend is a row of the table.
type Backend struct {
	// Name is what a config's backend field says.
	Name string
	// Nicknames are other names that people write for it, which Triton does not know.
	Nicknames []string
	// Kind is what people call a model of this backend: "ONNX". Runtime is the name of the framework: "ONNX Runtime".
	Kind, Runtime string
	// Formats are the files that it opens, in the order in which Triton looks for them. There are none for a
	// backend whose file Triton does not know.
	Formats []Format
	// Completes says from what the backend completes a config.
	Completes Completion
	// Images are the container images of Triton that carry it.
	Images []Image
	// Runs reports whether Conch's engine runs it.
	Runs bool
	// Program reports whether a Python program of Conch's runs it (engine/backend/python). Modules are what the program
	// imports besides NumPy, and Packages what brings them, as pip takes them: "torch>=2.1". Weight is what these take on the disk with
	// what they need, for people.
	Program           bool
	Modules, Packages []string
	Weight            string
	// OnGPUs reports whether its models run on GPUs alone. TakesGPUs reports whether Conch's engine runs them on a GPU where the
	// config leaves the choice open (KIND_AUTO); the packages of the other backends may be made for processors only.
	OnGPUs, TakesGPUs bool
	// Library reports whether it is certainly a shared library, and no Python program.
	Library bool
	// RefusesOptional reports whether a model with an optional input does not load.
	RefusesOptional bool
	// ParsesBatchInputs reports whether it reads batch inputs itself, before Triton looks at them.
	ParsesBatchInputs bool
	// KeepsStates reports whether it keeps the states of sequences. Where it does not, each request of a sequence gets what its first gets.
	KeepsStates bool
	// InstancesOnCPU is how many instances a group on the CPU gets that gives no count; 0 is Triton's default of one.
	InstancesOnCPU int32
	// CPUAccelerators and GPUAccelerators are the execution accelerators that it knows.
	CPUAccelerators, GPUAccelerators []string
	// OwnAccelerators are those of cpu_execution_accelerator that Conch's engine alone knows. Triton refuses them.
	OwnAccelerators []string
	// ThreadKeys are the parameters that create as many threads as they say.
	ThreadKeys []string
}

// Completion says from what a backend fills in the inputs, outputs and batching that a config leaves out.
type Completion int

// What backends complete configs from.
const (
	// Unknown is for a backend that may complete a config by means of its own.
	Unknown Completion = iota
	// Never is for a backend that completes nothing.
	Never
	// FromFile is for a backend that reads them from the model file.
	FromFile
	// FromProgram is for a backend that runs the model's program to ask it.
	FromProgram
)

// Image is the end of the tag of one of Triton's container images: 24.10-py3. What each carries is in
// docs/triton/backends.md, "Images".
type Image string

// The images.
const (
	Full             Image = "py3"
	PyTorchImage     Image = "pyt-python-py3"
	TensorFlowImage  Image = "tf2-python-py3"
	VLLMImage        Image = "vllm-python-py3"
	TensorRTLLMImage Image = "trtllm-python-py3"
)

// repository is where NVIDIA publishes Triton's images.
const repository = "nvcr.io/nvidia/tritonserver"

// Reference is the full name of the image of a release, such as 24.10.
func (i Image) Reference(release string) string { return repository + ":" + release + "-" + string(i) }

// Images lists the images, the one that carries most first.
func Images() []Image {
	return []Image{Full, PyTorchImage, TensorFlowImage, VLLMImage, TensorRTLLMImage}
}

// table is in the order in which Triton looks when a config names no backend (model_config_utils.cc,
// AutoCompleteBackendFields). The backends for which it does not look follow.
var table = []Backend{
	{
		Name: TensorFlow, Nicknames: []string{"tf", "tf2", "keras", "savedmodel"}, Kind: "TensorFlow", Runtime: "TensorFlow", Formats: []Format{GraphDef, SavedModel},
		Completes: FromFile, Images: []Image{Full, TensorFlowImage}, Library: true, ParsesBatchInputs: true, InstancesOnCPU: 2,
		Runs: true, Program: true, Modules: []string{"tensorflow"}, Packages: []string{"tensorflow"}, Weight: "2.1 GB",
		GPUAccelerators: []string{"tensorrt", "auto_mixed_precision", "gpu_io"},
	},
	{
		Name: TensorRT, Nicknames: []string{"trt"}, Kind: "TensorRT", Runtime: "TensorRT", Formats: []Format{TensorRTPlan},
		Completes: FromFile, Images: []Image{Full}, Library: true, RefusesOptional: true, ParsesBatchInputs: true,
		Runs: true, Program: true, OnGPUs: true, KeepsStates: true, Modules: []string{"tensorrt"}, Packages: []string{"tensorrt"}, Weight: "2 to 5 GB",
	},
	{
		Name: ONNXRuntime, Nicknames: []string{"onnx", "ort"}, Kind: "ONNX", Runtime: "ONNX Runtime", Formats: []Format{ONNX},
		Completes: FromFile, Images: []Image{Full}, Runs: true, TakesGPUs: true, Library: true, ParsesBatchInputs: true, KeepsStates: true, InstancesOnCPU: 2,
		CPUAccelerators: []string{"openvino"}, GPUAccelerators: []string{"tensorrt", "cuda"},
		OwnAccelerators: []string{"webgpu", "xnnpack", "coreml", "directml"},
		ThreadKeys:      []string{"intra_op_thread_count", "inter_op_thread_count"},
	},
	{
		Name: OpenVINO, Kind: "OpenVINO", Runtime: "OpenVINO", Formats: []Format{OpenVINOModel},
		Completes: FromFile, Images: []Image{Full}, Library: true, RefusesOptional: true, ParsesBatchInputs: true,
		Runs: true, Program: true, Modules: []string{"openvino"}, Packages: []string{"openvino>=2024.0"}, Weight: "0.3 GB",
	},
	{
		Name: PyTorch, Nicknames: []string{"torch", "pt", "torchscript", "jit"}, Kind: "PyTorch", Runtime: "PyTorch", Formats: []Format{TorchScript, TorchAOTI},
		Completes: Never, Images: []Image{Full, PyTorchImage}, RefusesOptional: true, ParsesBatchInputs: true,
		Runs: true, Program: true, KeepsStates: true, Modules: []string{"torch"}, Packages: []string{"torch"}, Weight: "up to 6 GB, most of it CUDA; less where pip or uv is set to an index with a build for processors",
		ThreadKeys: []string{"INTRA_OP_THREAD_COUNT", "INTER_OP_THREAD_COUNT", "NUM_THREADS", "NUM_INTEROP_THREADS"},
	},
	{
		Name: Python, Nicknames: []string{"py", "python3"}, Kind: "Python", Runtime: "Python", Formats: []Format{PythonProgram},
		Completes: FromProgram, Images: []Image{Full, PyTorchImage, TensorFlowImage, VLLMImage, TensorRTLLMImage},
		Runs: true, TakesGPUs: true, Library: true, ParsesBatchInputs: true,
	},
	{Name: DALI, Kind: "DALI", Runtime: "DALI", Images: []Image{Full}},
	{Name: FIL, Nicknames: []string{"sklearn", "scikit-learn", "xgboost", "lightgbm", "treelite"}, Kind: "FIL", Runtime: "FIL", Images: []Image{Full}},
	{Name: Identity, Kind: "Identity", Runtime: "Python", Completes: Never, Images: []Image{Full}, Runs: true, Program: true, Library: true},
	{
		Name: FasterTransformer, Nicknames: []string{"ft"}, Kind: "FasterTransformer", Runtime: "CTranslate2", Completes: Never, Library: true,
		Runs: true, Program: true, Modules: []string{"ctranslate2"}, Packages: []string{"ctranslate2>=4.5"}, Weight: "0.2 GB",
	},
	{Name: Repeat, Completes: Never, Images: []Image{Full}, Library: true},
	{Name: Square, Completes: Never, Images: []Image{Full}, Library: true},
	{Name: VLLM, Kind: "vLLM", Runtime: "vLLM", Images: []Image{VLLMImage}},
	{Name: TensorRTLLM, Nicknames: []string{"trtllm", "trt_llm"}, Kind: "TensorRT-LLM", Runtime: "TensorRT-LLM", Images: []Image{TensorRTLLMImage}},
}

// All lists the backends, first those that Triton recognises by their files, in its order.
func All() []Backend { return table }

// Find returns the row of a name. The zero Backend stands for one that the table lacks.
func Find(name string) (Backend, bool) {
	for i := range table {
		if table[i].Name == name {
			return table[i], true
		}
	}
	return Backend{}, false
}

// Named returns the row of a name, or the zero Backend.
func Named(name string) Backend {
	b, _ := Find(name)
	return b
}

// Meant returns the row of a name that is not a backend's own: a platform, or what people call the backend. It is
// false for any other name.
func Meant(name string) (Backend, bool) {
	name = bare(name)
	is := func(other string) bool { return bare(other) == name }
	for _, b := range table {
		if is(b.Name) || slices.ContainsFunc(b.Nicknames, is) || slices.ContainsFunc(b.Platforms(), is) ||
			slices.ContainsFunc(b.Formats, func(f Format) bool { return f.Alias != "" && is(f.Alias) }) {
			return b, true
		}
	}
	return Backend{}, false
}

// bare is a name without what people write in different ways: capitals, signs between words, and the word backend at the end.
func bare(name string) string {
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
	return strings.TrimSuffix(name, "backend")
}

// In lists the names of the backends that an image carries, in the order of the table.
func In(image Image) []string {
	var names []string
	for i := range table {
		if slices.Contains(table[i].Images, image) {
			names = append(names, table[i].Name)
		}
	}
	return names
}

// Known reports whether the table has a backend of this name.
func Known(name string) bool {
	_, known := Find(name)
	return known
}

// Names lists the names of all backends.
func Names() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return names
}

// GPUsAlone says what a model of a backend that runs on GPUs alone lacks on a machine without one; "" of other backends.
func (b Backend) GPUsAlone() string {
	if !b.OnGPUs {
		return ""
	}
	return "the model needs an NVIDIA GPU and " + b.Runtime + ", and does not run on the CPU in their place"
}

// Platforms lists the platforms of the backend. Triton refuses any other beside its name (G5); none are checked where
// it has none.
func (b Backend) Platforms() []string {
	var platforms []string
	for _, f := range b.Formats {
		if f.Platform != "" {
			platforms = append(platforms, f.Platform)
		}
	}
	return platforms
}

// Platforms lists all platforms that Triton takes.
func Platforms() []string {
	platforms := []string{Ensemble}
	for i := range table {
		platforms = append(platforms, table[i].Platforms()...)
	}
	return platforms
}

// IsEnsemble reports whether a config describes an ensemble.
func IsEnsemble(cfg *modelconfig.ModelConfig) bool {
	return cfg.GetPlatform() == Ensemble || cfg.GetEnsembleScheduling() != nil
}

// PythonRuntime is the value of a config's runtime field for a backend that is a Python program.
const PythonRuntime = "model.py"

package derive

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelfile"
)

// DefaultMaxBatchSize is what a batching ONNX model without max_batch_size gets, unless
// --backend-config=default-max-batch-size says otherwise (docs/triton/completion.md, "Switches").
const DefaultMaxBatchSize = 4

// Facts is what is known of a model beside its config.
type Facts struct {
	// ModelName is the name of the model's folder.
	ModelName string
	// Alone means that only the config's text is known: there is no folder, or it is not read. What the folder decides
	// stays open then.
	Alone bool
	// Files is what lies in the folder that FirstFolder chose; nil when the
	// model's folder holds no other folder.
	Files []File
	// FilesIn is the name of that folder; "" for none.
	FilesIn string
	// ONNX describes the model file of the version that is meant; nil when the
	// model is of another kind or its file could not be read.
	ONNX *modelfile.ONNX
	// SavedModel is what a TensorFlow saved model of that version contains. It is nil like ONNX.
	SavedModel *modelfile.SavedModel
	// OpenVINO are the inputs and outputs of an OpenVINO model of that version. It is nil like ONNX.
	OpenVINO *modelfile.OpenVINO
	// Torch is what a TorchScript archive of that version contains, and Plan the head of a TensorRT plan. They are nil like ONNX.
	Torch *modelfile.TorchScript
	Plan  *modelfile.Plan
	// Answer is what the program of a Python model answered when it was asked to complete this config; nil where that is not
	// known.
	Answer *Answer
	// AutoComplete lets a backend fill in tensors and batching, which is
	// Triton's default; --disable-auto-complete-config switches it off.
	AutoComplete bool
	// DefaultMaxBatchSize replaces the package's constant when it is not nil.
	DefaultMaxBatchSize *int32
	// Weights are the bytes of all files of that version, and Memory those of the machine; 0 where they are not known.
	Weights, Memory int64
	// Processors is how many the machine has; 0 where that is not known.
	Processors int
	// GPUs are the numbers of the supported GPUs, ascending. Counted means that they are those of the machine that will serve
	// the model, and that there are no others.
	GPUs    []int32
	Counted bool
	// NoGPUs is a clause that says why there are none; "" where that is not known.
	NoGPUs string
	// Adapter is by what instances of KIND_CPU run in place of the processor, such as "WebGPU"; "" for the processor.
	Adapter string
	// Here are the GPUs of the machine, also those that the backend cannot use. KIND_AUTO with a list of such is the GPU, as in Triton.
	Here []int32
	// Elsewhere means that GPUs which a config lists may be those of another machine: KIND_AUTO with a list is the GPU then.
	Elsewhere bool
}

// CountGPUs says that the machine which will serve the model has n GPUs.
func (f *Facts) CountGPUs(n int) {
	f.Counted, f.GPUs, f.NoGPUs = true, nil, ""
	if n == 0 {
		f.NoGPUs = "the machine has no GPU"
	}
	for id := range n {
		f.GPUs = append(f.GPUs, int32(id))
	}
}

// File is an entry of a version folder.
type File struct {
	Name string
	Dir  bool
}

// FirstFolder chooses, among the names of the folders in a model's folder, the one in which Triton
// looks for model files when a config names no backend (docs/triton/completion.md, "Backend and
// platform"): the first in byte order, whatever it is called, so "10" comes before "2" and a hidden
// folder before both. It is empty for no folders.
func FirstFolder(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return slices.Min(folders)
}

func (f *Facts) maxBatchDefault() int32 {
	if f.DefaultMaxBatchSize != nil {
		return max(*f.DefaultMaxBatchSize, 0)
	}
	return DefaultMaxBatchSize
}

// has reports whether an entry of that name exists.
func (f *Facts) has(name string) bool {
	return slices.ContainsFunc(f.Files, func(e File) bool { return e.Name == name })
}

// fits reports whether an entry counts as a model of a format.
func (f *Facts) fits(format backends.Format) bool {
	return slices.ContainsFunc(f.Files, func(e File) bool { return format.Fits(e.Name, e.Dir) })
}

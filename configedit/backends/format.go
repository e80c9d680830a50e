package backends

import (
	"maps"
	"path"
	"slices"
)

// Format is one form of model file.
type Format struct {
	// Called is what people call a file of the format: "a TensorRT plan".
	Called string
	// Platform is the name that a config's platform field has for it; "" for none.
	Platform string
	// Alias is another platform by which Triton finds the backend, though it refuses the config later; "" for none.
	Alias string
	// File is the default file name inside a version folder.
	File string
	// Form says what counts as the file when Triton looks for it.
	Form Form
	// Inside is the file that is opened where the model is a folder; "" where the model is none.
	Inside string
	// Weights is the ending of a second file, which has the name of the first; "" for none.
	Weights string
}

// Form is whether a model is a file or a folder.
type Form int

// The forms.
const (
	PlainFile Form = iota
	Folder
	FileOrFolder
)

// The formats.
var (
	GraphDef      = Format{Called: "a TensorFlow graph", Platform: "tensorflow_graphdef", File: "model.graphdef"}
	SavedModel    = Format{Called: "a TensorFlow saved model", Platform: "tensorflow_savedmodel", File: "model.savedmodel", Form: Folder, Inside: "saved_model.pb"}
	TensorRTPlan  = Format{Called: "a TensorRT plan", Platform: "tensorrt_plan", File: "model.plan"}
	ONNX          = Format{Called: "ONNX", Platform: "onnxruntime_onnx", File: "model.onnx", Form: FileOrFolder, Inside: "model.onnx"}
	OpenVINOModel = Format{Called: "an OpenVINO model", File: "model.xml", Form: FileOrFolder, Weights: ".bin"}
	TorchScript   = Format{Called: "TorchScript", Platform: "pytorch_libtorch", Alias: "libtorch", File: "model.pt"}
	TorchAOTI     = Format{Called: "an AOTInductor package", Platform: "torch_aoti", File: "model.pt2"}
	PythonProgram = Format{Called: "a Python program", File: "model.py", Form: FileOrFolder}
)

// Fits reports whether an entry of a version folder counts as a model of this format.
func (f Format) Fits(name string, dir bool) bool {
	return name == f.File && (f.Form == FileOrFolder || dir == (f.Form == Folder))
}

// Format returns the format of a platform, or the backend's first one that a config without a platform gets; the zero
// Format for a backend that has none.
func (b Backend) Format(platform string) Format {
	i := slices.IndexFunc(b.Formats, func(f Format) bool { return platform != "" && f.Platform == platform })
	switch {
	case i >= 0:
		return b.Formats[i]
	case len(b.Formats) == 0:
		return Format{}
	}
	return b.Formats[0]
}

// OfFile returns the backend and the format whose default file has the base name of a path.
func OfFile(file string) (Backend, Format, bool) {
	base := path.Base(file)
	for i := range table {
		for _, f := range table[i].Formats {
			if f.File == base {
				return table[i], f, true
			}
		}
	}
	return Backend{}, Format{}, false
}

// otherEndings are endings that model files have in practice, beside those of the default names.
var otherEndings = map[string]Format{
	".engine": TensorRTPlan, ".trt": TensorRTPlan,
	".pth": TorchScript, ".torchscript": TorchScript,
}

// Endings lists the endings that files of the format have, that of its default file first.
func (f Format) Endings() []string {
	list := []string{path.Ext(f.File)}
	for _, ending := range slices.Sorted(maps.Keys(otherEndings)) {
		if otherEndings[ending] == f {
			list = append(list, ending)
		}
	}
	return list
}

// OfEnding returns the backend and the format that the end of a file's name shows. What lies inside of a model that is
// a folder shows it too.
func OfEnding(file string) (Backend, Format, bool) {
	ext := path.Ext(file)
	for i := range table {
		for _, f := range table[i].Formats {
			if path.Base(file) == f.Inside || ext != "" && (ext == path.Ext(f.File) || otherEndings[ext] == f) {
				return table[i], f, true
			}
		}
	}
	return Backend{}, Format{}, false
}

// Files lists the default file names of all formats, in the order in which Triton looks for them.
func Files() []string {
	var files []string
	for i := range table {
		for _, f := range table[i].Formats {
			files = append(files, f.File)
		}
	}
	return files
}

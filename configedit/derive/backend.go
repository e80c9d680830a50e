package derive

import (
	"strings"

	"conch/configedit/modelconfig"
)

// CompleteBackend changes cfg as Triton does with every config it reads: the
// name from the folder, and backend, platform and default_model_filename from
// each other or from what the first folder holds (triton-config C.3). The error
// is a *Problem: nothing tells which backend is meant.
func CompleteBackend(cfg *modelconfig.ModelConfig, facts Facts) ([]Filled, error) {
	return run(cfg, &facts, (*completion).completeBackend)
}

// family is a backend that Triton recognises without being told its name.
type family struct {
	backend string
	// ownNameLooks is true for TensorFlow, which looks even when its own name is
	// given, because it cannot do without a platform.
	ownNameLooks bool
	kinds        []kind
}

// kind is one format of a family, tried in order.
type kind struct {
	platform string // "" where the family has none
	file     string
	form     form
}

// form says what the model file must be to count as found.
type form int

const (
	plainFile form = iota
	folder
	either
)

// families are in Triton's order; the first that matches wins.
var families = []family{
	{backend: "tensorflow", ownNameLooks: true, kinds: []kind{
		{"tensorflow_graphdef", "model.graphdef", plainFile},
		{"tensorflow_savedmodel", "model.savedmodel", folder},
	}},
	{backend: "tensorrt", kinds: []kind{{"tensorrt_plan", "model.plan", plainFile}}},
	{backend: "onnxruntime", kinds: []kind{{"onnxruntime_onnx", "model.onnx", either}}},
	{backend: "openvino", kinds: []kind{{"", "model.xml", either}}},
	{backend: "pytorch", kinds: []kind{
		{"pytorch_libtorch", "model.pt", plainFile},
		{"torch_aoti", "model.pt2", plainFile},
	}},
	{backend: "python", kinds: []kind{{"", "model.py", either}}},
}

func (e *completion) completeBackend() error {
	if e.cfg.Name == "" {
		e.cfg.Name = e.facts.ModelName
		e.note("a model is called as its folder is", "name")
	}
	for _, f := range families {
		if e.tryFamily(f) {
			return nil
		}
	}
	if e.cfg.Backend != "" || e.cfg.Platform != "" || e.cfg.DefaultModelFilename != "" {
		return nil
	}
	return e.backendFromName()
}

// tryFamily fills in what belongs to f if the config or the files point to it.
func (e *completion) tryFamily(f family) bool {
	own := e.cfg.Backend == f.backend
	if e.cfg.Backend != "" && !own {
		return false
	}
	found, reason := kind{}, ""
	if !own || f.ownNameLooks {
		found, reason = e.detect(f)
	}
	if !own && reason == "" {
		return false
	}
	e.fillFamily(f, found, reason)
	return true
}

// detect finds the kind that the platform, the file name or the files speak for.
func (e *completion) detect(f family) (kind, string) {
	platform, file := e.cfg.Platform, e.cfg.DefaultModelFilename
	for _, k := range f.kinds {
		switch {
		case k.platform != "" && platform == k.platform, f.backend == "pytorch" && platform == "libtorch":
			return k, "the platform says so"
		case file == k.file && (platform == "" || f.backend != "tensorflow"):
			return k, "default_model_filename says so"
		}
	}
	if platform != "" || file != "" {
		return kind{}, ""
	}
	for _, k := range f.kinds {
		if e.holds(k) {
			return k, "the version folder holds " + k.file
		}
	}
	return kind{}, ""
}

func (e *completion) holds(k kind) bool {
	switch k.form {
	case folder:
		return e.facts.hasDir(k.file)
	case either:
		return e.facts.has(k.file)
	}
	return e.facts.hasFile(k.file)
}

// fillFamily sets what is still empty. A pytorch config that names its platform
// keeps an empty file name, except for torch_aoti.
func (e *completion) fillFamily(f family, found kind, reason string) {
	if e.cfg.Backend == "" {
		e.cfg.Backend = f.backend
		e.note(reason, "backend")
	}
	explicit := e.cfg.Platform != ""
	if found.file == "" {
		found = f.byPlatform(e.cfg.Platform)
	}
	if !explicit && found.platform != "" && (f.backend != "tensorflow" || reason != "") {
		e.cfg.Platform = found.platform
		e.note("the platform that goes with backend "+f.backend, "platform")
	}
	if f.backend == "tensorflow" && e.cfg.Platform == "" {
		return // stays incomplete; Triton then refuses the pair of platform and backend
	}
	if f.backend == "pytorch" && explicit && e.cfg.Platform != "torch_aoti" {
		return
	}
	if e.cfg.DefaultModelFilename == "" {
		e.cfg.DefaultModelFilename = found.file
		e.note("the file that backend "+f.backend+" opens", "default_model_filename")
	}
}

// byPlatform gives the kind of that platform, or the family's first.
func (f family) byPlatform(platform string) kind {
	for _, k := range f.kinds {
		if platform != "" && k.platform == platform {
			return k
		}
	}
	return f.kinds[0]
}

// backendFromName takes the backend from a folder name such as "digits.mybackend":
// everything behind the first dot.
func (e *completion) backendFromName() error {
	name := e.cfg.Name
	_, backend, ok := strings.Cut(name, ".")
	if !ok {
		return &Problem{
			Rule: RuleBackendName, Code: InvalidArg, Path: at("backend"),
			Triton: "Invalid model name: Could not determine backend for model '" + name +
				"' with no backend in model configuration. Expected model name of the form 'model.<backend_name>'.",
		}
	}
	e.cfg.Backend = backend
	e.cfg.DefaultModelFilename = "model." + backend
	e.note("the folder's name ends in it", "backend")
	e.note("the file that backend "+backend+" opens", "default_model_filename")
	return nil
}

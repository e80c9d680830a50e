// Package reach says what a config makes a server open beyond plain data in the model's own folder: code of the model's own,
// and files elsewhere. It reads configs alone; the caller that opens files follows links. All functions are pure.
package reach

import (
	"maps"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
)

// File is something that a config makes a server open, and where the config says so.
type File struct {
	Field string // as the config names it: "model_operations.op_library_filename"
	Path  string // as written
}

const (
	// program is the field by which a config makes a server run a program of the model's own.
	program = "backend"
	// modelFile is the field by which it makes a framework open a file that can hold code.
	modelFile = "default_model_filename"
	// ownBackend stands for a backend that is none of Conch's.
	ownBackend = "own backend"
)

// Opens says in words what the server does with a file of Code: "runs the library 'x.so'".
func (f File) Opens() string {
	switch f.Field {
	case program:
		return "runs code of its own, the program '" + f.Path + "'"
	case modelFile:
		return "has the model file '" + f.Path + "', which can run code"
	case ownBackend:
		return "runs on the backend '" + f.Path + "', which is none of Conch's and can run code of the model"
	}
	return "runs code of its own, the library '" + f.Path + "' (" + f.Field + ")"
}

// Program returns the program that a model is, in its folders of versions; false for a model that is none.
func Program(cfg *modelconfig.ModelConfig) (File, bool) {
	if cfg.GetBackend() != backends.Python {
		return File{}, false
	}
	file := cfg.GetDefaultModelFilename()
	if file == "" {
		file = backends.PythonProgram.File
	}
	return File{program, file}, true
}

// opened returns the model file of a backend that is a Python program of Conch's on a framework. Frameworks run what lies in
// model files, and the model's folder may bring the interpreter.
func opened(cfg *modelconfig.ModelConfig) (File, bool) {
	row, _ := backends.Find(cfg.GetBackend())
	if !row.Program || len(row.Modules) == 0 {
		return File{}, false
	}
	file, field := cfg.GetDefaultModelFilename(), modelFile
	usual := row.Format(cfg.GetPlatform()).File
	inPython := cfg.GetRuntime() == backends.PythonRuntime
	if inPython {
		field = program
	}
	switch {
	case inPython && (file == "" || file == usual):
		file = backends.PythonProgram.File
	case file == "":
		file = usual
	}
	if file == "" {
		file = "checkpoint" // a backend whose configs name no file
	}
	return File{field, file}, true
}

// own returns the backend of a model where it is none of Conch's: a program of the user, or what lies in the model's folder. What it
// does with the model's files nobody knows. Conch's own backends without a case here and in opened only read data.
func own(cfg *modelconfig.ModelConfig) (File, bool) {
	name := cfg.GetBackend()
	if name == "" || backends.IsEnsemble(cfg) || backends.Named(name).Runs {
		return File{}, false
	}
	return File{ownBackend, name}, true
}

// IsOwnBackend reports whether the file stands for a backend that is none of Conch's.
func (f File) IsOwnBackend() bool { return f.Field == ownBackend }

// Code lists the programs of its own that a model runs, with all rights of the server that loads it. Who asks before code
// of a repository runs asks this function: a backend whose models are programs adds them here.
func Code(cfg *modelconfig.ModelConfig) []File {
	list := libraries(cfg)
	for _, of := range []func(*modelconfig.ModelConfig) (File, bool){Program, opened, own} {
		if file, ok := of(cfg); ok {
			list = append(list, file)
		}
	}
	return list
}

func libraries(cfg *modelconfig.ModelConfig) []File {
	var list []File
	for _, library := range cfg.GetModelOperations().GetOpLibraryFilename() {
		list = append(list, File{"model_operations.op_library_filename", library})
	}
	for _, p := range accelerators(cfg) {
		if strings.Contains(p.key, "lib") { // trt_extra_plugin_lib_paths and its like
			list = append(list, p.File)
		}
	}
	return list
}

// BatchStrategy is the parameter that names a library of a model's own, which decides which requests are joined.
const BatchStrategy = "TRITON_BATCH_STRATEGY_PATH"

// Environment is the parameter that names the Python environment of a model.
const Environment = "EXECUTION_ENV_PATH"

// searched are the parameters that name what a backend opens wherever it is: OpenVINO a library of operators, FasterTransformer the
// folder of the weights, which it also looks for in the repository and where the server was started, and TensorFlow the
// operations that it runs first, which it looks for in the folders of the version and of the model.
var searched = []struct{ backend, key string }{
	{backends.OpenVINO, "CPU_EXTENSION_PATH"},
	{backends.FasterTransformer, "model_checkpoint_path"},
	{backends.TensorFlow, "TF_INIT_OPS_FILE"},
}

// Outside lists the files and libraries that a config names and that need not lie in the model's folder: what nobody may
// choose who only sends a config. The program of a Python model lies in its folder, where its owner has put it under the
// usual name; a config that is sent chooses neither another file to be run nor the interpreter.
func Outside(cfg *modelconfig.ModelConfig) []File {
	list := libraries(cfg)
	if own, ok := Program(cfg); ok && own.Path != backends.PythonProgram.File {
		list = append(list, File{modelFile, own.Path})
	}
	if own, ok := opened(cfg); ok && cfg.GetRuntime() == backends.PythonRuntime && own.Path != backends.PythonProgram.File {
		list = append(list, File{modelFile, own.Path})
	}
	if environment := cfg.GetParameters()[Environment].GetStringValue(); environment != "" {
		list = append(list, File{`parameters["` + Environment + `"]`, environment})
	}
	if library := cfg.GetParameters()[BatchStrategy].GetStringValue(); library != "" {
		list = append(list, File{`parameters["` + BatchStrategy + `"]`, library})
	}
	for _, p := range searched {
		if path := cfg.GetParameters()[p.key].GetStringValue(); path != "" && cfg.GetBackend() == p.backend {
			list = append(list, File{`parameters["` + p.key + `"]`, path})
		}
	}
	add := func(field, below, file string) {
		if folder.Outside(below + "/" + file) {
			list = append(list, File{field, file})
		}
	}
	for _, p := range accelerators(cfg) {
		if !strings.Contains(p.key, "lib") && p.isPath() {
			list = append(list, p.File)
		}
	}
	const version = "1" // any: the file lies in a version's folder
	add(modelFile, version, cfg.GetDefaultModelFilename())
	for _, capability := range slices.Sorted(maps.Keys(cfg.GetCcModelFilenames())) {
		add("cc_model_filenames", version, cfg.GetCcModelFilenames()[capability])
	}
	for _, sample := range cfg.GetModelWarmup() {
		for _, input := range slices.Sorted(maps.Keys(sample.GetInputs())) {
			add("model_warmup.inputs.input_data_file", folder.Warmup, sample.GetInputs()[input].GetInputDataFile())
		}
	}
	for _, state := range cfg.GetSequenceBatching().GetState() {
		for _, initial := range state.GetInitialState() {
			add("sequence_batching.state.initial_state.data_file", folder.InitialState, initial.GetDataFile())
		}
	}
	return list
}

// parameter is what a config hands on to an accelerator, whose library decides what it means.
type parameter struct {
	File
	key string
}

// isPath reports whether it may name a file or a folder. There are more keys than are documented, so their words are looked at.
func (p parameter) isPath() bool {
	words := func(word string) bool { return strings.Contains(p.key, word) }
	return slices.ContainsFunc([]string{"path", "dir", "folder", "file", "prefix", "table", "load_config"}, words) || strings.ContainsAny(p.Path, `/\`)
}

func accelerators(cfg *modelconfig.ModelConfig) []parameter {
	asked := cfg.GetOptimization().GetExecutionAccelerators()
	var list []parameter
	for _, a := range slices.Concat(asked.GetGpuExecutionAccelerator(), asked.GetCpuExecutionAccelerator()) {
		for _, key := range slices.Sorted(maps.Keys(a.GetParameters())) {
			list = append(list, parameter{File{`execution_accelerators.parameters["` + key + `"]`, a.GetParameters()[key]}, strings.ToLower(key)})
		}
	}
	return list
}

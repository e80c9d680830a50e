package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	binding "github.com/yalue/onnxruntime_go"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// modelFile is what ONNX Runtime opens: the file, or the model.onnx in a folder
// of that name, where external data may lie beside it (triton-config C.7).
func modelFile(spec backend.Spec) (string, error) {
	info, err := os.Stat(spec.File)
	if err != nil {
		return "", infer.Errorf(infer.Internal, "failed to stat file %s", spec.File)
	}
	if !info.IsDir() {
		return spec.File, notAPipe(spec.File, info)
	}
	inside := filepath.Join(spec.File, "model.onnx")
	info, err = os.Stat(inside)
	if err != nil || info.IsDir() {
		return "", infer.Errorf(infer.Unavailable, "unable to find '%s' for model instance '%s'", inside, spec.Name)
	}
	return inside, notAPipe(inside, info)
}

// notAPipe refuses what would be waited for when it is opened, or has no end.
func notAPipe(path string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return infer.Errorf(infer.Internal, "failed to open model file %s: it is not a regular file", path)
}

// checkAccelerators refuses what this backend has not, in Triton's words. Those
// for GPUs are not looked at on the CPU (triton-config C.8).
func checkAccelerators(cfg *modelconfig.ModelConfig) error {
	for _, a := range cfg.GetOptimization().GetExecutionAccelerators().GetCpuExecutionAccelerator() {
		return infer.Errorf(infer.InvalidArg, "unknown Execution Accelerator '%s' is requested", a.GetName())
	}
	return nil
}

// checkModel holds the config against the session. A config that was completed
// from the file's header may differ from what ONNX Runtime's shape inference found
// on top; what agrees with the header is taken too.
func checkModel(spec backend.Spec, model *derive.ONNXModel) error {
	problems := derive.CheckONNX(spec.Config, model)
	if len(problems) == 0 {
		return nil
	}
	if header, err := readHeader(spec); err == nil && len(derive.CheckONNX(spec.Config, header)) == 0 {
		spec.Log.Debug("config agrees with the model file, but not with what ONNX Runtime infers",
			"model", spec.Name, "difference", problems[0].Triton)
		return nil
	}
	return firstProblem(problems)
}

func readHeader(spec backend.Spec) (*derive.ONNXModel, error) {
	path, err := modelFile(spec)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open model file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at model file: %w", err)
	}
	return derive.ReadONNX(file, info.Size())
}

var graphLevels = map[derive.ONNXGraphLevel]binding.GraphOptimizationLevel{
	derive.ONNXGraphAll:      binding.GraphOptimizationLevelEnableAll,
	derive.ONNXGraphNone:     binding.GraphOptimizationLevelDisableAll,
	derive.ONNXGraphBasic:    binding.GraphOptimizationLevelEnableBasic,
	derive.ONNXGraphExtended: binding.GraphOptimizationLevelEnableExtended,
}

// sessionOptions makes ONNX Runtime's options of ours.
func sessionOptions(library *ort.Library, options derive.ONNXOptions) (*binding.SessionOptions, error) {
	native, err := binding.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("make session options: %w", err)
	}
	err = errors.Join(
		native.SetGraphOptimizationLevel(graphLevels[options.GraphLevel]),
		setThreads(library, native, options),
		setMemory(native, options),
	)
	for key, value := range options.Session {
		err = errors.Join(err, native.AddSessionConfigEntry(key, value))
	}
	if err == nil {
		err = registerCustomOps(native, options.CustomOps)
	}
	if err != nil {
		native.Destroy()
		return nil, err
	}
	return native, nil
}

// setThreads lets a model use the process's threads unless it asks for a number of
// its own: a pool for each session wastes time and memory where many are loaded.
func setThreads(library *ort.Library, native *binding.SessionOptions, options derive.ONNXOptions) error {
	var mode error
	if options.Parallel {
		mode = native.SetExecutionMode(binding.ExecutionModeParallel)
	}
	if options.IntraThreads == 0 && options.InterThreads == 0 {
		return errors.Join(mode, library.ShareThreads(native))
	}
	return errors.Join(mode, native.SetIntraOpNumThreads(options.IntraThreads), native.SetInterOpNumThreads(options.InterThreads))
}

func setMemory(native *binding.SessionOptions, options derive.ONNXOptions) error {
	var err error
	if options.MemArena != nil {
		err = native.SetCpuMemArena(*options.MemArena)
	}
	if options.MemPattern != nil {
		err = errors.Join(err, native.SetMemPattern(*options.MemPattern))
	}
	return err
}

// registerCustomOps loads operators. The binding drops the error's number; 1 is
// what ONNX Runtime gives for a library that cannot be loaded.
func registerCustomOps(native *binding.SessionOptions, libraries []string) error {
	for _, library := range libraries {
		if err := native.RegisterCustomOpsLibrary(library); err != nil {
			return &ort.Error{Code: 1, Message: err.Error()}
		}
	}
	return nil
}

package ort

// #include "shim.h"
import "C"

import (
	"errors"

	binding "github.com/yalue/onnxruntime_go"
)

// Options say how a session is made. They are used by one goroutine at a time, and closed when the session is made.
//
// The Go binding makes and changes them. It has no function for three things, which are done through the C API with the
// native options: ShareThreads, the end of a load that is cancelled, and the number of an operator library's error.
type Options struct {
	library *Library
	binding *binding.SessionOptions
	native  *C.OrtSessionOptions // the binding's
}

// NewOptions makes options with ONNX Runtime's defaults.
func (l *Library) NewOptions() (*Options, error) {
	made, err := binding.NewSessionOptions()
	if err != nil {
		return nil, refused(err)
	}
	pointer, err := native(made)
	if err != nil {
		return nil, errors.Join(err, made.Destroy())
	}
	return &Options{library: l, binding: made, native: (*C.OrtSessionOptions)(pointer)}, nil
}

// Close frees the options. Closing twice is harmless.
func (o *Options) Close() {
	if o.native != nil {
		o.native = nil
		_ = o.binding.Destroy() // it fails for options that are destroyed already, and these are not
	}
}

// failure is ONNX Runtime's number for an error of no particular kind (ORT_FAIL).
const failure = 1

// refused returns an error of the binding ONNX Runtime's form. The binding drops the number.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: failure, Message: err.Error()}
}

// Level is how far a graph is optimized (GraphOptimizationLevel).
type Level int

// The levels.
const (
	DisableAll     Level = binding.GraphOptimizationLevelDisableAll
	EnableBasic    Level = binding.GraphOptimizationLevelEnableBasic
	EnableExtended Level = binding.GraphOptimizationLevelEnableExtended
	EnableAll      Level = binding.GraphOptimizationLevelEnableAll
)

// SetLevel sets how far the graph is optimized.
func (o *Options) SetLevel(l Level) error {
	return refused(o.binding.SetGraphOptimizationLevel(binding.GraphOptimizationLevel(l)))
}

// RunInParallel runs parts of the graph side by side.
func (o *Options) RunInParallel() error {
	return refused(o.binding.SetExecutionMode(binding.ExecutionModeParallel))
}

// SetIntraThreads sets how many threads of its own a session has within an operator.
func (o *Options) SetIntraThreads(n int) error { return refused(o.binding.SetIntraOpNumThreads(n)) }

// SetInterThreads sets how many threads of its own a session has between operators.
func (o *Options) SetInterThreads(n int) error { return refused(o.binding.SetInterOpNumThreads(n)) }

// ShareThreads makes sessions use the process's threads instead of their own.
func (o *Options) ShareThreads() error {
	var cErr C.conch_error
	C.conch_session_share_threads(o.library.c, o.native, &cErr)
	return take(&cErr)
}

// SetMemArena sets whether the session keeps an arena on the CPU.
func (o *Options) SetMemArena(on bool) error { return refused(o.binding.SetCpuMemArena(on)) }

// SetMemPattern sets whether memory is planned ahead.
func (o *Options) SetMemPattern(on bool) error { return refused(o.binding.SetMemPattern(on)) }

// SetEntry sets an option that ONNX Runtime knows by its name.
func (o *Options) SetEntry(key, value string) error {
	return refused(o.binding.AddSessionConfigEntry(key, value))
}

// SaveTo has the optimized graph written to a file.
func (o *Options) SaveTo(path string) error {
	return refused(o.binding.SetOptimizedModelFilePath(path))
}

// RegisterOperators loads a library of operators. A library may refuse with any number, which Triton says and the binding drops:
// so it is asked once more through the C API, and that answer counts.
func (o *Options) RegisterOperators(library string) error {
	if o.binding.RegisterCustomOpsLibrary(library) == nil {
		return nil
	}
	path, done, err := pathArgument(library)
	if err != nil {
		return err
	}
	defer done()
	var cErr C.conch_error
	C.conch_session_operators(o.library.c, o.native, path, &cErr)
	return take(&cErr)
}

package ort

// #include "shim.h"
import "C"

import (
	"errors"

	binding "github.com/yalue/onnxruntime_go"
)

// Options set how a session is made. One goroutine at a time uses them. Close them when the session is made.
//
// The Go binding makes and changes them. It has no function for three things, for which Options use the C API: shared
// threads, the end of a cancelled load, and the number of an operator library's error.
type Options struct {
	library *Library
	binding *binding.SessionOptions
	native  *C.OrtSessionOptions // the binding's
	// takeTurns is true when the session must not run beside others of its kind.
	takeTurns bool
}

// NewOptions returns options with ONNX Runtime's defaults.
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

// failure is ONNX Runtime's number for a general error (ORT_FAIL).
const failure = 1

// refused returns an error of the binding in ONNX Runtime's form. The binding drops the number.
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

// RunInParallel makes independent parts of the graph run at the same time.
func (o *Options) RunInParallel() error {
	return refused(o.binding.SetExecutionMode(binding.ExecutionModeParallel))
}

// SetIntraThreads sets how many own threads a session uses within an operator.
func (o *Options) SetIntraThreads(n int) error { return refused(o.binding.SetIntraOpNumThreads(n)) }

// SetInterThreads sets how many own threads a session uses to run operators at the same time.
func (o *Options) SetInterThreads(n int) error { return refused(o.binding.SetInterOpNumThreads(n)) }

// ShareThreads makes a session use the process's threads instead of its own.
func (o *Options) ShareThreads() error {
	var cErr C.conch_error
	C.conch_session_share_threads(o.library.c, o.native, &cErr)
	return take(&cErr)
}

// SetMemArena sets whether the session has a memory arena on the CPU.
func (o *Options) SetMemArena(on bool) error { return refused(o.binding.SetCpuMemArena(on)) }

// SetMemPattern sets whether memory is planned ahead.
func (o *Options) SetMemPattern(on bool) error { return refused(o.binding.SetMemPattern(on)) }

// SetEntry sets a session option by its name.
func (o *Options) SetEntry(key, value string) error {
	return refused(o.binding.AddSessionConfigEntry(key, value))
}

// SaveTo makes ONNX Runtime write the optimized graph to a file.
func (o *Options) SaveTo(path string) error {
	return refused(o.binding.SetOptimizedModelFilePath(path))
}

// RegisterOperators loads a library of operators. Triton's error has the number with which a library refuses, and the
// binding drops that number. After an error, RegisterOperators therefore asks once more through the C API.
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

package ort

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"maps"
	"slices"
	"unsafe"
)

// Options say how a session is made. They are used by one goroutine at a time, and closed when the session is made.
type Options struct {
	library *Library
	c       *C.OrtSessionOptions
}

// NewOptions makes options with ONNX Runtime's defaults.
func (l *Library) NewOptions() (*Options, error) {
	o := &Options{library: l}
	var cErr C.conch_error
	C.conch_options_new(l.c, &o.c, &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	return o, nil
}

// Close frees the options. Closing twice is harmless.
func (o *Options) Close() {
	if o.c != nil {
		C.conch_options_free(o.library.c, o.c)
		o.c = nil
	}
}

// Level is how far a graph is optimized (GraphOptimizationLevel).
type Level int

// The levels.
const (
	DisableAll     Level = 0
	EnableBasic    Level = 1
	EnableExtended Level = 2
	EnableAll      Level = 99
)

func (o *Options) set(what, value C.int) error {
	var cErr C.conch_error
	C.conch_options_set(o.library.c, o.c, what, value, &cErr)
	return take(&cErr)
}

func switched(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

// SetLevel sets how far the graph is optimized.
func (o *Options) SetLevel(l Level) error { return o.set(C.CONCH_LEVEL, C.int(l)) }

// RunInParallel runs parts of the graph side by side.
func (o *Options) RunInParallel() error { return o.set(C.CONCH_PARALLEL, 1) }

// SetIntraThreads sets how many threads of its own a session has within an operator.
func (o *Options) SetIntraThreads(n int) error { return o.set(C.CONCH_INTRA, C.int(n)) }

// SetInterThreads sets how many threads of its own a session has between operators.
func (o *Options) SetInterThreads(n int) error { return o.set(C.CONCH_INTER, C.int(n)) }

// ShareThreads makes sessions use the process's threads instead of their own.
func (o *Options) ShareThreads() error { return o.set(C.CONCH_SHARED_THREADS, 0) }

// SetMemArena says whether the session keeps an arena on the CPU.
func (o *Options) SetMemArena(on bool) error { return o.set(C.CONCH_ARENA, switched(on)) }

// SetMemPattern says whether memory is planned ahead.
func (o *Options) SetMemPattern(on bool) error { return o.set(C.CONCH_PATTERN, switched(on)) }

// SetEntry sets an option that ONNX Runtime knows by its name.
func (o *Options) SetEntry(key, value string) error {
	cKey, cValue := C.CString(key), C.CString(value)
	defer free(unsafe.Pointer(cKey))
	defer free(unsafe.Pointer(cValue))
	var cErr C.conch_error
	C.conch_options_entry(o.library.c, o.c, cKey, cValue, &cErr)
	return take(&cErr)
}

// SaveTo has the optimized graph written to a file.
func (o *Options) SaveTo(path string) error { return o.path(C.CONCH_SAVE_TO, path) }

// RegisterOperators loads a library of operators.
func (o *Options) RegisterOperators(library string) error { return o.path(C.CONCH_OPERATORS, library) }

func (o *Options) path(what C.int, path string) error {
	cPath, done, err := pathArgument(path)
	if err != nil {
		return err
	}
	defer done()
	var cErr C.conch_error
	C.conch_options_path(o.library.c, o.c, what, cPath, &cErr)
	return take(&cErr)
}

// AppendCUDA adds the CUDA execution provider with its settings.
func (o *Options) AppendCUDA(settings map[string]string) error {
	return o.append(C.CONCH_CUDA, settings)
}

// AppendTensorRT adds the TensorRT execution provider with its settings.
func (o *Options) AppendTensorRT(settings map[string]string) error {
	return o.append(C.CONCH_TENSORRT, settings)
}

// AppendOpenVINO adds the OpenVINO execution provider with its settings.
func (o *Options) AppendOpenVINO(settings map[string]string) error {
	return o.append(C.CONCH_OPENVINO, settings)
}

func (o *Options) append(provider C.int, settings map[string]string) error {
	names := slices.Sorted(maps.Keys(settings))
	// Arrays in C, since C must not be given an address of Go's that leads to another.
	array := (**C.char)(C.calloc(C.size_t(2*len(names)+1), C.size_t(unsafe.Sizeof((*C.char)(nil)))))
	defer free(unsafe.Pointer(array))
	words := unsafe.Slice(array, 2*len(names)+1)
	for i, name := range names {
		words[i], words[len(names)+i] = C.CString(name), C.CString(settings[name])
	}
	defer func() {
		for _, word := range words[:2*len(names)] {
			free(unsafe.Pointer(word))
		}
	}()
	var cErr C.conch_error
	C.conch_options_append(o.library.c, o.c, provider, &words[0], &words[len(names)], C.size_t(len(names)), &cErr)
	return take(&cErr)
}

package ort

// #include <stdlib.h>
// #include "crash.h"
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// OldestMinor is the oldest version 1.N of ONNX Runtime that has the functions that Conch uses.
const OldestMinor = C.CONCH_API_VERSION

// Library is the opened ONNX Runtime. There is one in a process.
type Library struct {
	path    string
	version string
	c       *C.conch_lib // in C memory: C keeps pointers to its parts
	plugin  plugin
}

// opened is the process's library. ONNX Runtime has one environment in a process and cannot be unloaded.
var opened struct {
	sync.Mutex
	library *Library
}

// Threads are the sizes of the thread pools that sessions share. For 0, ONNX Runtime uses all processors.
type Threads struct {
	Intra int // within an operator
	Inter int // between operators
}

// Open opens the library at path. If a library is open already, Open returns that one, even if its path and threads
// differ. A failed Open may be tried again.
func Open(path string, threads Threads) (*Library, error) { return OpenOrSay(path, threads, "") }

// OpenOrSay is Open. When the library crashes, the process ends with these words; for "", Go tells of the crash.
func OpenOrSay(path string, threads Threads, words string) (*Library, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.library != nil {
		return opened.library, nil
	}
	library, err := open(path, threads, words)
	if err != nil {
		return nil, err
	}
	opened.library = library
	return library, nil
}

func open(path string, threads Threads, words string) (*Library, error) {
	if err := DisableTelemetry(); err != nil {
		return nil, err
	}
	if err := checkWhole(path); err != nil {
		return nil, err
	}
	var entry unsafe.Pointer
	var err error
	orSay(words, func() { entry, err = entryPoint(path) })
	if err != nil {
		return nil, foreign(path, err)
	}
	l := &Library{path: path, c: (*C.conch_lib)(C.calloc(1, C.sizeof_conch_lib))}
	var cErr C.conch_error
	orSay(words, func() {
		C.conch_open(l.c, entry, C.conch_threads{intra: C.int(threads.Intra), inter: C.int(threads.Inter)}, &cErr)
	})
	if err := take(&cErr); err != nil {
		free(unsafe.Pointer(l.c))
		return nil, fmt.Errorf("start ONNX Runtime from %s: %w", path, err)
	}
	l.version = C.GoString(l.c.version)
	if err := l.startBinding(); err != nil {
		C.conch_close(l.c)
		free(unsafe.Pointer(l.c))
		return nil, fmt.Errorf("start ONNX Runtime from %s: %w", path, err)
	}
	l.startPlugin()
	return l, nil
}

// orSay calls C code of a library. When that crashes in this thread, the process ends with these words, if there are any.
func orSay(words string, call func()) {
	if words == "" {
		call()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	text := C.CString(words)
	defer C.free(unsafe.Pointer(text))
	C.conch_crash_begin(text)
	defer C.conch_crash_end()
	call()
}

// startBinding makes the Go binding use the same library and environment: a second CreateEnv of ONNX Runtime returns the
// existing environment. startBinding also makes session options once, to check that native can read the binding's
// fields.
//
// After an error the binding is as it was before, with one exception: if the environment cannot be made, the binding keeps
// its handle of the library. The library stays open anyway.
func (l *Library) startBinding() error {
	binding.SetSharedLibraryPath(l.path)
	if err := binding.InitializeEnvironment(); err != nil {
		return err
	}
	options, err := l.NewOptions()
	if err != nil {
		return errors.Join(err, binding.DestroyEnvironment())
	}
	options.Close()
	return nil
}

// Path returns the file that was opened.
func (l *Library) Path() string { return l.path }

// Version returns ONNX Runtime's version: "1.30.0".
func (l *Library) Version() string { return l.version }

// Providers returns the names of the execution providers that the library was built with, and that of the plug-in beside it:
// "CPUExecutionProvider".
func (l *Library) Providers() ([]string, error) {
	var names **C.char
	var count C.int
	var cErr C.conch_error
	C.conch_providers(l.c, &names, &count, &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	defer C.conch_providers_free(l.c, names, count)
	var providers []string
	for _, name := range unsafe.Slice(names, int(count)) {
		providers = append(providers, C.GoString(name))
	}
	if l.plugin.there {
		providers = append([]string{openVINO}, providers...)
	}
	return providers, nil
}

// TrimMemory returns freed memory to the system. Otherwise glibc keeps hundreds of megabytes after a few models were
// unloaded.
func TrimMemory() { C.conch_trim() }

// free frees C memory.
func free(p unsafe.Pointer) { C.free(p) }

//go:build !windows

package ort

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// entryPoint opens the library and finds OrtGetApiBase in it. ONNX Runtime is never closed:
// its threads and exit handlers do not survive that.
func entryPoint(path string) (unsafe.Pointer, error) {
	runtime.LockOSThread() // dlerror tells of the last call in this thread
	defer runtime.UnlockOSThread()
	cPath, cName := C.CString(path), C.CString("OrtGetApiBase")
	defer C.free(unsafe.Pointer(cPath))
	defer C.free(unsafe.Pointer(cName))
	handle := C.dlopen(cPath, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("open %s: %s", path, C.GoString(C.dlerror()))
	}
	entry := C.dlsym(handle, cName)
	if entry == nil {
		C.dlclose(handle) // nothing of it has been started
		return nil, fmt.Errorf("%s is not ONNX Runtime: it has no OrtGetApiBase", path)
	}
	return entry, nil
}

// CanOpen says why the system cannot open a library that it looks for by its name. The library stays open.
func CanOpen(name string) error {
	runtime.LockOSThread() // dlerror tells of the last call in this thread
	defer runtime.UnlockOSThread()
	cName := C.CString(name)
	defer C.free(unsafe.Pointer(cName))
	if C.dlopen(cName, C.RTLD_LAZY|C.RTLD_LOCAL) == nil {
		return errors.New(C.GoString(C.dlerror()))
	}
	return nil
}

// pathArgument is a path as ONNX Runtime takes it on this system.
func pathArgument(path string) (unsafe.Pointer, func(), error) {
	p := unsafe.Pointer(C.CString(path))
	return p, func() { C.free(p) }, nil
}

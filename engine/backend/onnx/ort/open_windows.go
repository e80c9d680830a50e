package ort

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// entryPoint opens the library and finds OrtGetApiBase in it. ONNX Runtime is never closed:
// its threads and exit handlers do not survive that.
func entryPoint(path string) (unsafe.Pointer, error) {
	library, err := syscall.LoadLibrary(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	entry, err := syscall.GetProcAddress(library, "OrtGetApiBase")
	if err != nil {
		_ = syscall.FreeLibrary(library) // nothing of it has been started
		return nil, fmt.Errorf("%s is not ONNX Runtime: %w", path, err)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&entry)), nil
}

// CanOpen says why the system cannot open a library that it looks for by its name. The library stays open.
func CanOpen(name string) error {
	_, err := syscall.LoadLibrary(name)
	return err
}

// pathArgument is a path as ONNX Runtime takes it on this system: UTF-16.
func pathArgument(path string) (unsafe.Pointer, func(), error) {
	wide, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, nil, fmt.Errorf("path %q: %w", path, err)
	}
	var pinner runtime.Pinner
	pinner.Pin(wide)
	return unsafe.Pointer(wide), pinner.Unpin, nil
}

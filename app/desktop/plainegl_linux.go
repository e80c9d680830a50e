//go:build desktop && linux

package desktop

/*
#include <stdlib.h>
*/
import "C"

import (
	"os"
	"unsafe"
)

// loadPlainEGL has WebKit's processes take the driver of EGL that draws nothing. The variable is set for what C starts,
// as WebKit starts its processes, and not for what Go starts: a model may draw with Mesa. It reports whether they take it.
func loadPlainEGL(devices string) bool {
	program, err := os.Executable()
	if err != nil {
		return false
	}
	dirs := plainVendorDirs(program, devices)
	if dirs == "" {
		return false
	}
	name, value := C.CString(vendorDirs), C.CString(dirs)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(value))
	return C.setenv(name, value, 0) == 0
}

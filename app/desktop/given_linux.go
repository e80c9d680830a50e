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

// given are the names of the variables that WebKit's processes get so that they load less.
var given = []string{vendorDirs, libraryPath}

// give sets a variable for what C starts, as WebKit starts its processes, and not for what Go starts: a model may draw
// with Mesa, and speak with Flite.
func give(name, value string) {
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	C.setenv(n, v, 1)
}

// takeBack gives a variable the value that it has for what Go starts.
func takeBack(name string) {
	if value, set := os.LookupEnv(name); set {
		give(name, value)
		return
	}
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	C.unsetenv(n)
}

// conchTakeBackAll is called when the page's process has ended.
//
//export conchTakeBackAll
func conchTakeBackAll() {
	for _, name := range given {
		takeBack(name)
	}
}

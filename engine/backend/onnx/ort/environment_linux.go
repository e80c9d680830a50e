package ort

/*
#include <stdlib.h>
*/
import "C"

import "unsafe"

// SetNative sets a variable of the environment for libraries of this process, unless it is set. Processes that this one starts do not get it.
func SetNative(name, value string) {
	cName, cValue := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(cName))
	defer C.free(unsafe.Pointer(cValue))
	const keep = 0
	C.setenv(cName, cValue, keep) // fails without memory alone
}

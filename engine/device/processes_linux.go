package device

/*
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// conch_nvml_list calls a function of the library, which go-nvml has opened for all, if the library has it.
static unsigned conch_nvml_list(const char *symbol, uintptr_t device, unsigned *count, void *entries) {
  enum { FUNCTION_NOT_FOUND = 13 };
  unsigned (*function)(void *, unsigned *, void *) = (unsigned (*)(void *, unsigned *, void *))dlsym(RTLD_DEFAULT, symbol);
  return function == NULL ? FUNCTION_NOT_FOUND : function((void *)device, count, entries);
}
*/
import "C"

import (
	"reflect"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// list calls the library's own function. That of go-nvml believes whatever count the library tells, and doubles its list as often as the library
// calls it too short: either ends the process when the library is wrong. The handle of a device is all that is needed of go-nvml for it.
func list(d nvml.Device, symbol string, count *uint32, entries []uint64) result {
	name := C.CString(symbol)
	defer C.free(unsafe.Pointer(name))
	handle := reflect.ValueOf(d).FieldByName("Handle").Pointer()
	return result(C.conch_nvml_list(name, C.uintptr_t(handle), (*C.uint)(count), unsafe.Pointer(&entries[0])))
}

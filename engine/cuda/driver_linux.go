package cuda

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "driver_linux.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"conch/engine/sharedlib"
)

// Driver is NVIDIA's driver. It is safe for concurrent use.
type Driver struct {
	api C.conch_cuda
	// mu guards contexts: those of the devices that copies have used.
	mu       sync.Mutex
	contexts map[int]C.CUcontext
}

// Open opens the driver's library by its path or name. It stays open. An error wraps ErrAbsent.
func Open(path string) (*Driver, error) {
	if err := sharedlib.SoundDriver(path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	d := &Driver{contexts: map[int]C.CUcontext{}}
	if why := C.conch_cuda_load(&d.api, name); why != nil {
		defer C.free(unsafe.Pointer(why))
		return nil, fmt.Errorf("%w: %s", ErrAbsent, C.GoString(why))
	}
	if code := C.conch_cuda_start(&d.api); code != 0 {
		return nil, fmt.Errorf("%w: %w", ErrAbsent, d.failure("start CUDA", code))
	}
	return d, nil
}

// failure is the driver's error.
func (d *Driver) failure(what string, code C.CUresult) error {
	if text := C.conch_cuda_text(&d.api, code); text != nil {
		return fmt.Errorf("%s: %s (CUDA error %d)", what, C.GoString(text), code)
	}
	return fmt.Errorf("%s: CUDA error %d", what, code)
}

// Memory is memory of another process. Its user calls Close once, when nothing uses it.
type Memory struct {
	driver *Driver
	native C.conch_cuda_memory
}

// Open opens memory on a device.
func (d *Driver) Open(handle Handle, device int) (*Memory, error) {
	m := &Memory{driver: d}
	Enter()
	defer Leave()
	if code := C.conch_cuda_open(&d.api, C.int(device), unsafe.Pointer(&handle[0]), &m.native); code != 0 {
		return nil, d.failure(fmt.Sprintf("open memory on GPU %d", device), code)
	}
	return m, nil
}

// Size is what the driver says that there is, in bytes. It may be more than was asked for when the memory was made.
func (m *Memory) Size() uint64 { return uint64(m.native.size) }

// Address is where a part begins, for code of this process that runs on the device.
func (m *Memory) Address(offset uint64) uintptr { return uintptr(m.native.begin) + uintptr(offset) }

// Read copies from the memory.
func (m *Memory) Read(to []byte, offset uint64) error {
	if !m.holds(offset, len(to)) {
		return errSize
	}
	if len(to) == 0 {
		return nil
	}
	Enter()
	defer Leave()
	if code := C.conch_cuda_read(&m.driver.api, &m.native, unsafe.Pointer(&to[0]), C.size_t(offset), C.size_t(len(to))); code != 0 {
		return m.driver.failure("read memory of a GPU", code)
	}
	return nil
}

// Write copies to the memory.
func (m *Memory) Write(from []byte, offset uint64) error {
	if !m.holds(offset, len(from)) {
		return errSize
	}
	if len(from) == 0 {
		return nil
	}
	Enter()
	defer Leave()
	if code := C.conch_cuda_write(&m.driver.api, &m.native, unsafe.Pointer(&from[0]), C.size_t(offset), C.size_t(len(from))); code != 0 {
		return m.driver.failure("write memory of a GPU", code)
	}
	return nil
}

func (m *Memory) holds(offset uint64, size int) bool {
	return offset <= m.Size() && uint64(size) <= m.Size()-offset
}

// Close gives the memory back to its process.
func (m *Memory) Close() error {
	Enter()
	defer Leave()
	if code := C.conch_cuda_close(&m.driver.api, &m.native); code != 0 {
		return m.driver.failure("close memory of a GPU", code)
	}
	return nil
}

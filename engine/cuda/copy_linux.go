package cuda

// #include "driver_linux.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// context is that of a device, which stays for the process's life.
func (d *Driver) context(device int) (C.CUcontext, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, known := d.contexts[device]; known {
		return c, nil
	}
	var c C.CUcontext
	if code := C.conch_cuda_enter(&d.api, C.int(device), &c); code != 0 {
		return nil, d.failure(fmt.Sprintf("use GPU %d", device), code)
	}
	d.contexts[device] = c
	return c, nil
}

// Write copies bytes to an address in the memory of a device. They have arrived when it returns.
func (d *Driver) Write(device int, to uintptr, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return d.copy(device, "copy to GPU", func(c C.CUcontext) C.CUresult {
		return C.conch_cuda_to(&d.api, c, C.CUdeviceptr(to), unsafe.Pointer(&from[0]), C.size_t(len(from)))
	})
}

// Read copies bytes from an address in the memory of a device.
func (d *Driver) Read(device int, to []byte, from uintptr) error {
	if len(to) == 0 {
		return nil
	}
	return d.copy(device, "copy from GPU", func(c C.CUcontext) C.CUresult {
		return C.conch_cuda_from(&d.api, c, unsafe.Pointer(&to[0]), C.CUdeviceptr(from), C.size_t(len(to)))
	})
}

// Copy copies within the memory of a device. The bytes have arrived when it returns.
func (d *Driver) Copy(device int, to, from uintptr, size int) error {
	if size == 0 {
		return nil
	}
	return d.copy(device, "copy within GPU", func(c C.CUcontext) C.CUresult {
		return C.conch_cuda_within(&d.api, c, C.CUdeviceptr(to), C.CUdeviceptr(from), C.size_t(size))
	})
}

func (d *Driver) copy(device int, what string, do func(C.CUcontext) C.CUresult) error {
	Enter()
	defer Leave()
	c, err := d.context(device)
	if err != nil {
		return err
	}
	if code := do(c); code != 0 {
		return d.failure(fmt.Sprintf("%s %d", what, device), code)
	}
	return nil
}

// pin takes memory that all devices copy from and to directly.
func (d *Driver) pin(device, size int) (*Pinned, error) {
	Enter()
	defer Leave()
	c, err := d.context(device)
	if err != nil {
		return nil, err
	}
	var memory unsafe.Pointer
	if code := C.conch_cuda_pin(&d.api, c, &memory, C.size_t(size)); code != 0 {
		return nil, d.failure("pin memory", code)
	}
	return &Pinned{whole: unsafe.Slice((*byte)(memory), size), device: device}, nil
}

// unpin gives pinned memory back. What fails then fails because the GPU is lost.
func (d *Driver) unpin(p *Pinned) {
	Enter()
	defer Leave()
	if c, err := d.context(p.device); err == nil {
		C.conch_cuda_unpin(&d.api, c, unsafe.Pointer(&p.whole[0]))
	}
}

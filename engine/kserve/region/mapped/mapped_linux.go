package mapped

// #include "guard_linux.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// install sets the handler of the whole process when the first file is mapped.
var install = sync.OnceValue(func() error {
	if failed, err := C.conch_guard_install(); failed != 0 {
		return fmt.Errorf("handle faults of mapped memory: %w", err)
	}
	return nil
})

var errTooMany = errors.New("too many files are mapped")

// Map maps a part of a file for reading and writing. offset is a multiple of the page size.
func Map(f *os.File, offset int64, size int) (*Memory, error) {
	if err := install(); err != nil {
		return nil, err
	}
	data, err := unix.Mmap(int(f.Fd()), offset, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	number := C.conch_guard_add(unsafe.Pointer(&data[0]), C.size_t(len(data)))
	if number < 0 {
		_ = unix.Munmap(data)
		return nil, errTooMany
	}
	return &Memory{data: data, number: int(number)}, nil
}

// Torn tells whether a part that was read or written was gone. It had zeros then, and what was written is lost.
func (m *Memory) Torn() bool { return C.conch_guard_torn(C.int(m.number)) != 0 }

// Close ends the mapping. Nobody may use its bytes any more.
func (m *Memory) Close() {
	C.conch_guard_remove(C.int(m.number))
	_ = unix.Munmap(m.data) // it is mapped
}

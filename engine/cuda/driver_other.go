//go:build !linux

package cuda

// Driver is NVIDIA's driver. It shares memory between processes on Linux only.
type Driver struct{}

// Open finds no driver on this system.
func Open(string) (*Driver, error) { return nil, ErrAbsent }

// Open opens no memory on this system.
func (*Driver) Open(Handle, int) (*Memory, error) { return nil, ErrAbsent }

// Memory is memory of another process.
type Memory struct{}

// Size is 0.
func (*Memory) Size() uint64 { return 0 }

// Address is nowhere.
func (*Memory) Address(uint64) uintptr { return 0 }

// Read reads nothing.
func (*Memory) Read([]byte, uint64) error { return errSize }

// Write writes nothing.
func (*Memory) Write([]byte, uint64) error { return errSize }

// Close does nothing.
func (*Memory) Close() error { return nil }

// Write writes nothing.
func (*Driver) Write(int, uintptr, []byte) error { return ErrAbsent }

// Read reads nothing.
func (*Driver) Read(int, []byte, uintptr) error { return ErrAbsent }

// Copy copies nothing.
func (*Driver) Copy(int, uintptr, uintptr, int) error { return ErrAbsent }

// pin pins nothing.
func (*Driver) pin(int, int) (*Pinned, error) { return nil, ErrAbsent }

// unpin frees nothing.
func (*Driver) unpin(*Pinned) {}

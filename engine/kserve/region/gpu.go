package region

import (
	"fmt"
	"math"

	"conch/engine/cuda"
	"conch/engine/infer"
)

// RegisterCUDA adds a region of a GPU's memory, in Triton's order of checks. handle is the client's cudaIpcMemHandle_t.
func (r *Regions) RegisterCUDA(name string, handle []byte, device int64, size uint64) error {
	if err := r.Enabled(); err != nil {
		return err
	}
	if len(handle) != cuda.HandleSize {
		return infer.Errorf(infer.InvalidArg, "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t")
	}
	return r.add(CUDA, Status{Name: name, Size: size, Device: uint64(device)}, func() (memory, error) {
		return r.openGPU(name, cuda.Handle(handle), device, size)
	})
}

// openGPU says more than Triton, which tells why in its log alone.
func (r *Regions) openGPU(name string, handle cuda.Handle, device int64, size uint64) (memory, error) {
	driver, err := r.driver()
	if err != nil {
		return nil, infer.Errorf(infer.InvalidArg, "failed to register shared memory region: invalid args: %v", err)
	}
	if device < 0 || device > math.MaxInt32 {
		return nil, infer.Errorf(infer.InvalidArg, "failed to register shared memory region: invalid args: there is no GPU %d", device)
	}
	m, err := driver.Open(handle, int(device))
	if err != nil {
		if !cuda.IsUnknown(err.Error()) { // the handle is the client's, and may be none
			r.note(device, err)
		}
		return nil, infer.Errorf(infer.InvalidArg, "failed to register shared memory region: invalid args: %v", err)
	}
	if there := m.Size(); size > there {
		_ = m.Close() // the client's mistake is what counts
		return nil, infer.Errorf(infer.InvalidArg, "failed to register shared memory region '%s': invalid args: it has %d bytes, and byte_size is %d",
			name, there, size)
	}
	return gpu{m}, nil
}

// note tells of a GPU that is lost. The errors of other kinds of memory are none of CUDA's.
func (r *Regions) note(device int64, err error) {
	if cuda.IsLasting(err.Error()) {
		r.lost(int(device), err.Error())
	}
}

// gpu is memory of another process on a GPU.
type gpu struct{ memory *cuda.Memory }

func (gpu) bytes() []byte                            { return nil }
func (g gpu) read(to []byte, offset uint64) error    { return g.memory.Read(to, offset) }
func (g gpu) write(from []byte, offset uint64) error { return g.memory.Write(from, offset) }

// away is a span in the memory of a GPU.
type away struct {
	*Span
	memory *cuda.Memory
}

func (a away) GPU() int         { return int(a.region.Device) }
func (a away) Address() uintptr { return a.memory.Address(a.offset) }
func (a away) Size() int        { return int(a.size) }

// Away is the span for code that runs on its GPU, until Release; nil where the region is not on one.
func (s *Span) Away() infer.Away {
	if g, is := s.region.memory.(gpu); is {
		return away{s, g.memory}
	}
	return nil
}

// Landing is the span as a place for an output, until Release; nil where the region is not on a GPU.
func (s *Span) Landing() infer.Landing {
	if g, is := s.region.memory.(gpu); is {
		return away{s, g.memory}
	}
	return nil
}

// whole finds nothing: a copy from memory that its owner has freed fails by itself.
func (gpu) whole(uint64) error { return nil }

func (g gpu) close() error {
	if err := g.memory.Close(); err != nil {
		return fmt.Errorf("failed to close CUDA IPC handle: %w", err)
	}
	return nil
}

package region

import (
	"os"
	"slices"
	"strings"
	"sync"

	"conch/engine/infer"
	"conch/engine/kserve/region/mapped"
)

// Kind is a kind of memory.
type Kind string

// The kinds.
const (
	System Kind = "system"
	CUDA   Kind = "cuda"
)

// maxRegions bounds the registered regions: each has a descriptor.
const maxRegions = 1024

// reservedPrefix begins the keys of Triton's own regions.
const reservedPrefix = "triton_python_backend_shm_region_"

// Regions are the registered regions of a server. It is safe for concurrent use. A nil *Regions has no region and
// registers none: shared memory is off.
type Regions struct {
	open   func(key string) (*os.File, error)
	mu     sync.Mutex
	byName map[string]*region
}

// region is a part of a shared memory object.
type region struct {
	Status
	file *os.File
	// memory is the region in this process; nil where it cannot be mapped.
	memory *mapped.Memory
	// uses counts the requests that need the region. leaving is true when it was unregistered meanwhile: the
	// last of them closes it.
	uses    int
	leaving bool
}

// Status describes a region.
type Status struct {
	Name, Key string
	// Offset is where the region begins in the shared memory object of that key, in bytes.
	Offset, Size uint64
}

// New returns an empty list of regions.
func New() *Regions { return &Regions{open: open, byName: map[string]*region{}} }

// Enabled returns the error of every change while shared memory is off.
func (r *Regions) Enabled() error {
	if r == nil {
		return infer.Errorf(infer.Unsupported,
			"Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable.")
	}
	return nil
}

// Register adds a region of the object that has this key, in Triton's order of checks.
func (r *Regions) Register(name, key string, offset, size uint64) error {
	if err := r.Enabled(); err != nil {
		return err
	}
	if err := checkKey(name, key); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byName[name] != nil {
		return infer.Errorf(infer.AlreadyExists, "shared memory region '%s' already in manager", name)
	}
	if len(r.byName) >= maxRegions {
		return infer.Errorf(infer.Unavailable,
			"shared memory region '%s' is one too many: %d are registered; unregister one first", name, maxRegions)
	}
	f, err := r.open(key)
	if err == nil {
		if err = checkPlace(f, name, key, offset, size); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return err
	}
	one := &region{Status: Status{Name: name, Key: key, Offset: offset, Size: size}, file: f}
	if memory, err := mapped.Map(f, int64(offset), int(size)); err == nil {
		one.memory = memory
	}
	r.byName[name] = one
	return nil
}

func checkKey(name, key string) error {
	switch bare := strings.TrimLeft(key, "/"); {
	case bare == "":
		return infer.Errorf(infer.InvalidArg, "cannot register shared memory region '%s' - invalid shm key '%s'", name, key)
	case strings.HasPrefix(bare, reservedPrefix):
		return infer.Errorf(infer.InvalidArg, "cannot register shared memory region '%s' with key '%s' as the key contains "+
			"the reserved prefix '%s'", name, key, reservedPrefix)
	}
	return nil
}

// checkPlace refuses what Triton could not map: a part outside of the object, an empty one, or one that does not begin at
// a page.
func checkPlace(f *os.File, name, key string, offset, size uint64) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return infer.Errorf(infer.Internal, "Invalid shared memory region: '%s'", key)
	}
	if all := uint64(info.Size()); offset > all || size > all-offset {
		return infer.Errorf(infer.InvalidArg, "failed to register shared memory region '%s': invalid args", name)
	}
	if size == 0 || offset%uint64(os.Getpagesize()) != 0 {
		return infer.Errorf(infer.InvalidArg,
			"failed to register shared memory region '%s': unable to process address spaceInvalid argument", name)
	}
	return nil
}

// Status lists the regions of a kind, sorted by name, or one of them. "" stands for all.
func (r *Regions) Status(kind Kind, name string) ([]Status, error) {
	list := r.list()
	if name == "" {
		if kind != System {
			return nil, nil
		}
		return list, nil
	}
	at := slices.IndexFunc(list, func(s Status) bool { return s.Name == name })
	switch {
	case at < 0:
		return nil, infer.Errorf(infer.NotFound, "Unable to find %s shared memory region: '%s'", kind, name)
	case kind != System:
		return nil, infer.Errorf(infer.NotFound,
			"The region named '%s' is registered as system shared memory, not CUDA shared memory", name)
	}
	return list[at : at+1], nil
}

func (r *Regions) list() []Status {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Status, 0, len(r.byName))
	for _, one := range r.byName {
		list = append(list, one.Status)
	}
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Unregister removes a region, or all of its kind when name is "". A region that requests use is removed after the last
// of them. An unknown name is no error, as in Triton.
func (r *Regions) Unregister(kind Kind, name string) error {
	if err := r.Enabled(); err != nil || kind != System {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if name != "" {
		r.remove(r.byName[name])
		return nil
	}
	for _, one := range r.byName {
		r.remove(one)
	}
	return nil
}

// remove needs the lock.
func (r *Regions) remove(one *region) {
	if one == nil {
		return
	}
	if one.leaving = true; one.uses == 0 {
		delete(r.byName, one.Name)
		if one.memory != nil {
			one.memory.Close()
		}
		_ = one.file.Close()
	}
}

// RegisterCUDA refuses a region of a GPU: this build reads none.
func (r *Regions) RegisterCUDA(name string) error {
	if err := r.Enabled(); err != nil {
		return err
	}
	return infer.Errorf(infer.InvalidArg, "failed to register CUDA shared memory region: '%s', GPUs not supported", name)
}

// Close closes all regions. One that requests use is closed after the last of them.
func (r *Regions) Close() {
	if r != nil {
		_ = r.Unregister(System, "") // regions are on
	}
}

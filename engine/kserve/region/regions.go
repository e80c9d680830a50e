package region

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"conch/engine/cuda"
	"conch/engine/infer"
)

// Kind is a kind of memory.
type Kind string

// The kinds.
const (
	System Kind = "system"
	CUDA   Kind = "cuda"
)

// inSentence is the kind as Triton writes it in one of its sentences.
func (k Kind) inSentence() string {
	if k == CUDA {
		return "CUDA"
	}
	return string(k)
}

// maxRegions bounds the registered regions: each has a descriptor, or a handle of the GPU's driver.
const maxRegions = 1024

// reservedPrefix begins the keys of Triton's own regions.
const reservedPrefix = "triton_python_backend_shm_region_"

// Regions are the registered regions of a server. It is safe for concurrent use. A nil *Regions has no region and
// registers none: shared memory is off.
type Regions struct {
	open func(key string) (*os.File, error)
	// driver opens NVIDIA's driver when it is first needed.
	driver func() (*cuda.Driver, error)
	// lost is told of a GPU that this process can use no more.
	lost   func(device int, why string)
	mu     sync.Mutex
	byName map[string]*region
	// opening are the names of regions that are being opened, which may take long.
	opening map[string]bool
}

// region is a part of a shared memory object or of a GPU's memory.
type region struct {
	Status
	kind   Kind
	memory memory
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
	// Device is the GPU of a region of kind CUDA. Such a region has no key and no offset.
	Device uint64
}

// New returns an empty list of regions. CUDA's are opened with the driver's library, cuda.Library in the product. lost is told when the
// driver says of a GPU that this process can use it no more.
func New(driver string, lost func(device int, why string)) *Regions {
	return &Regions{
		open: open, driver: sync.OnceValues(func() (*cuda.Driver, error) { return cuda.Open(driver) }), lost: lost,
		byName: map[string]*region{}, opening: map[string]bool{},
	}
}

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
	return r.add(System, Status{Name: name, Key: key, Offset: offset, Size: size}, func() (memory, error) {
		f, err := r.open(key)
		if err != nil {
			return nil, err
		}
		if err := checkPlace(f, name, key, offset, size); err != nil {
			_ = f.Close() // nothing was written to it
			return nil, err
		}
		return newObject(f, offset, size), nil
	})
}

// add adds a region whose memory it opens. Meanwhile nobody else gets the name, and all other regions can be used.
func (r *Regions) add(kind Kind, s Status, open func() (memory, error)) error {
	if err := r.reserve(s.Name); err != nil {
		return err
	}
	m, err := open()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.opening, s.Name)
	if err == nil {
		r.byName[s.Name] = &region{Status: s, kind: kind, memory: m}
	}
	return err
}

func (r *Regions) reserve(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byName[name] != nil || r.opening[name] {
		return infer.Errorf(infer.AlreadyExists, "shared memory region '%s' already in manager", name)
	}
	if len(r.byName)+len(r.opening) >= maxRegions {
		return infer.Errorf(infer.Unavailable,
			"shared memory region '%s' is one too many: %d are registered; unregister one first", name, maxRegions)
	}
	r.opening[name] = true
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
	var list []Status
	var other Kind
	for _, one := range r.all() {
		switch {
		case one.kind == kind && (name == "" || one.Name == name):
			list = append(list, one.Status)
		case one.Name == name:
			other = one.kind
		}
	}
	switch {
	case name == "" || len(list) > 0:
		return list, nil
	case other != "":
		return nil, infer.Errorf(infer.NotFound, "The region named '%s' is registered as %s shared memory, not %s shared memory",
			name, other.inSentence(), kind.inSentence())
	}
	return nil, infer.Errorf(infer.NotFound, "Unable to find %s shared memory region: '%s'", kind, name)
}

// all are the regions, sorted by name.
func (r *Regions) all() []region {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]region, 0, len(r.byName))
	for _, one := range r.byName {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b region) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Unregister removes a region, or all of its kind when name is "". A region that requests use is removed after the last
// of them. An unknown name is no error, as in Triton.
func (r *Regions) Unregister(kind Kind, name string) error {
	if err := r.Enabled(); err != nil {
		return err
	}
	var failed error
	for _, m := range r.leave(kind, name) {
		failed = errors.Join(failed, m.close())
	}
	if failed != nil {
		return infer.Errorf(infer.Internal, "%v", failed)
	}
	return nil
}

// leave takes regions away and returns the memory of those that no request uses, for the caller to close: that may take long.
func (r *Regions) leave(kind Kind, name string) []memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	var free []memory
	for _, one := range r.byName {
		if one.kind != kind || name != "" && one.Name != name {
			continue
		}
		if one.leaving = true; one.uses == 0 {
			delete(r.byName, one.Name)
			free = append(free, one.memory)
		}
	}
	return free
}

// Close closes all regions. One that requests use is closed after the last of them.
func (r *Regions) Close() {
	if r != nil {
		_ = r.Unregister(System, "") // the process ends
		_ = r.Unregister(CUDA, "")
	}
}

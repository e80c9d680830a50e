package model

import (
	"fmt"
	"os"
	"time"

	"conch/configedit/bytesize"
	"conch/engine/backend"
	"conch/engine/infer"
)

// Room limits the memory of models: a load that needs more is refused, before the system kills the program.
type Room struct {
	// Free returns how many bytes this process may still use; false when that is not known.
	Free func() (int64, bool)
	// Kept is the number of bytes that a model with many instances leaves free.
	Kept int64
}

const (
	// instanceBytes is the size of the smallest instance: add_sub on ONNX Runtime takes 5 KB (measured).
	instanceBytes = 4 << 10
	// fewInstances are made without a look at the memory; for further ones the memory is looked at every roomLook.
	fewInstances = 16
	roomLook     = 10 * time.Millisecond
)

// forFiles refuses a model whose files together are larger than the free memory, because a framework reads whole files.
func (r *Room) forFiles(spec backend.Spec, be backend.Backend) error {
	if r == nil {
		return nil
	}
	if e, ok := be.(backend.Estimator); ok {
		return r.forEstimate(spec, e.Estimate(spec), be)
	}
	free, known := r.Free()
	if !known {
		return nil
	}
	files := []string{spec.File}
	if lister, ok := be.(backend.FileLister); ok {
		files = lister.Files(spec)
	}
	size := int64(0)
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // otherwise reading it fails, with its own error
			size += info.Size()
		}
	}
	if size <= free {
		return nil
	}
	what := "its file " + spec.File + " has"
	if len(files) > 1 {
		what = fmt.Sprintf("its file %s and the %d files of its weights have", spec.File, len(files)-1)
	}
	return infer.Errorf(infer.Unavailable, "model '%s' does not fit into memory: %s %s, and %s are free. Unload other models, or give the program more memory.",
		spec.Name, what, bytesize.Text(size), bytesize.Text(free))
}

// forEstimate refuses a load that by the backend's estimate takes more memory of a device than is free there.
func (r *Room) forEstimate(spec backend.Spec, takes []backend.Memory, be backend.Backend) error {
	for _, m := range takes {
		free, known := r.Free()
		if m.Device.GPU {
			free, known = freeOn(m.Device, be)
		}
		if known && m.Bytes > uint64(max(free, 0)) {
			return infer.Errorf(infer.Unavailable, "model '%s' does not fit into the memory of the %s: it takes %s, and %s are free. Unload other models, or run it elsewhere.",
				spec.Name, m.Device, bytesize.Text(int64(m.Bytes)), bytesize.Text(free))
		}
	}
	return nil
}

// freeOn returns the free memory of a GPU; false when the backend does not know it.
func freeOn(d backend.Device, be backend.Backend) (int64, bool) {
	gpus, _ := gpusOf(be)
	for _, m := range gpus {
		if m.Device == d {
			return int64(m.Bytes), m.Bytes > 0
		}
	}
	return 0, false
}

// forInstances refuses a number of instances that does not fit into memory, even if each is as small as possible.
func (r *Room) forInstances(name string, count int64) error {
	if r == nil {
		return nil
	}
	free, known := r.Free()
	if !known || count <= fewInstances || count*instanceBytes <= free-r.Kept {
		return nil
	}
	return infer.Errorf(infer.Unavailable, "model '%s' cannot have %d instances: they take %s at the least, and %s of memory are free. Lower the count in instance_group.",
		name, count, bytesize.Text(count*instanceBytes), bytesize.Text(free))
}

// watch looks at the memory while instances are made.
type watch struct {
	room *Room
	made int
	last time.Time
}

// more refuses the next instance when too little memory is free.
func (w *watch) more(name string) error {
	w.made++
	if w.room == nil || w.made <= fewInstances || time.Since(w.last) < roomLook {
		return nil
	}
	w.last = time.Now()
	free, known := w.room.Free()
	if !known || free >= w.room.Kept {
		return nil
	}
	return infer.Errorf(infer.Unavailable, "model '%s' has no memory for more than %d instances: %s are free, and %s are kept for everything else. Lower the count in instance_group.",
		name, w.made-1, bytesize.Text(free), bytesize.Text(w.room.Kept))
}

package optimized

import (
	"os"
	"path/filepath"
	"time"
)

// Draft is an entry that is being written.
type Draft struct {
	store  *Store
	source Source
	before Snapshot
	dir    string
}

// Begin returns a draft to write an optimized model into. It returns nil when the model would not be kept: the disk is
// too full, the model is too large or too new, or it was refused.
func (s *Store) Begin(source Source, before Snapshot) *Draft {
	if s.isRefused(before.Key) || before.Bytes > s.o.Limit/2 || time.Since(before.Newest) < minAge {
		return nil
	}
	if err := os.MkdirAll(s.o.Dir, 0o700); err != nil {
		s.o.Log.Warn("optimized models cannot be kept", "folder", s.o.Dir, "error", err)
		return nil
	}
	s.tidy.Do(func() { s.entries() })
	// Weights may grow when their layout is adapted to the processor.
	needed := before.Bytes + before.Bytes/2
	if free, err := s.o.Free(s.o.Dir); err != nil || free < needed+spare {
		s.o.Log.Debug("an optimized model is not kept: the disk is nearly full", "folder", s.o.Dir, "free", free, "error", err)
		return nil
	}
	dir, err := os.MkdirTemp(s.o.Dir, draftPrefix)
	if err != nil {
		s.o.Log.Warn("optimized models cannot be kept", "folder", s.o.Dir, "error", err)
		return nil
	}
	return &Draft{store: s, source: source, before: before, dir: dir}
}

// Model returns the path for the model. Its weights go to WeightsName in the same folder.
func (d *Draft) Model() string { return filepath.Join(d.dir, ModelName) }

// Drop removes the draft.
func (d *Draft) Drop() { _ = os.RemoveAll(d.dir) } // the rest is removed later as a stale draft

// Keep makes the draft an entry, in the background.
func (d *Draft) Keep() {
	d.store.tasks.Go(func() {
		if err := d.keep(); err != nil {
			d.store.o.Log.Warn("an optimized model could not be kept", "model", d.source.File, "error", err)
			d.Drop()
		}
	})
}

func (d *Draft) keep() error {
	// If the files changed while they were read, the result may be a mixture.
	if after, err := d.source.Look(); err != nil || after.Key != d.before.Key {
		d.Drop()
		return err
	}
	m, err := describe(d.dir)
	if err != nil {
		return err
	}
	total := int64(0)
	for name, file := range m {
		total += file.Bytes
		// Nobody may write to a file that others have mapped.
		if err := os.Chmod(filepath.Join(d.dir, name), 0o444); err != nil {
			return err
		}
	}
	if err := m.write(d.dir); err != nil {
		return err
	}
	d.store.shrink(total)
	if err := os.Rename(d.dir, filepath.Join(d.store.o.Dir, d.before.Key)); err != nil {
		d.Drop() // another process was first
	}
	return nil
}

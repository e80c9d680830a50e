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

// Begin makes a folder to write an optimized model into; nil when it would not be kept: the disk is too full, the model too
// large or too new, or it was refused.
func (s *Store) Begin(source Source, before Snapshot) *Draft {
	if s.isRefused(before.Key) || before.Bytes > s.o.Limit/2 || time.Since(before.Newest) < raw {
		return nil
	}
	if err := os.MkdirAll(s.o.Dir, 0o700); err != nil {
		s.o.Log.Warn("optimized models cannot be kept", "folder", s.o.Dir, "error", err)
		return nil
	}
	s.tidy.Do(func() { s.entries() })
	// Weights may grow where they are laid out for the processor.
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

// Model is the path to write the model to, with its weights in WeightsName beside it.
func (d *Draft) Model() string { return filepath.Join(d.dir, ModelName) }

// Drop forgets the draft.
func (d *Draft) Drop() { _ = os.RemoveAll(d.dir) } // what stays is removed as a stale draft

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
	// A model that changed while it was read is neither the old nor the new one.
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
		// Nobody may write into what others have mapped.
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

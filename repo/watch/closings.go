package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// closings tells when files in watched folders are closed after they were open
// for writing. The system says nothing else of a write through a mapping, and
// says this once the mapping is gone as well. fsnotify does not pass it on.
type closings interface {
	system
	Close() error
}

// watches are what the system tells of folders: fsnotify's events, and closings
// for as long as the system has room for both. Without closings, the heartbeat
// finds a write through a mapping, some seconds later.
type watches struct {
	events   system
	closings closings // nil where there are none, or none any more
}

// newWatches adds closings to fsnotify where the system has them.
func newWatches(w *fsnotify.Watcher, queue *queue) *watches {
	both := &watches{events: w}
	if c, err := newClosings(queue); err == nil {
		both.closings = c
	}
	return both
}

var _ system = (*watches)(nil)

// Add watches a folder. Where there is no room for all, closings go first.
func (w *watches) Add(path string) error {
	err := w.events.Add(path)
	if errors.Is(err, syscall.ENOSPC) && w.closings != nil {
		w.Close()
		err = w.events.Add(path)
	}
	if err != nil || w.closings == nil {
		return err
	}
	if err := w.closings.Add(path); err != nil && !passing(err) {
		w.Close()
	}
	return nil
}

// Remove ends the watch of a folder, which may be gone.
func (w *watches) Remove(path string) error {
	if w.closings != nil {
		_ = w.closings.Remove(path) // the folder may be gone, and its watch with it
	}
	if err := w.events.Remove(path); err != nil {
		return fmt.Errorf("end the watch of %s: %w", path, err)
	}
	return nil
}

// Close ends closings. fsnotify is closed by who opened it.
func (w *watches) Close() {
	if w.closings != nil {
		_ = w.closings.Close()
		w.closings = nil
	}
}

// passing says of an error that it is about one folder, which is gone or may
// not be read.
func passing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

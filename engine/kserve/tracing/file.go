package tracing

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync"
)

// file is the file of the traces, or the first part of the names of numbered files. Each file is a JSON
// array of activities.
type file struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex // guards what follows
	lock  *os.File   // while this server writes numbered files; nil when it does not, or another one does
	whole array
	next  int // the number of the next numbered file
	said  bool
	ended bool // close has been called
}

// array is a JSON array that grows in a file.
type array struct {
	open  *os.File
	items int
}

// add appends an item. The file stays as it was when the item cannot be written.
func (a *array) add(item io.Reader) error {
	between := ","
	if a.items == 0 {
		between = "["
	}
	before, fixed := a.open.Seek(0, io.SeekEnd) // a pipe cannot be cut again
	_, err := io.WriteString(a.open, between)
	if err == nil {
		_, err = io.Copy(a.open, item)
	}
	if err != nil {
		if fixed == nil {
			err = errors.Join(err, a.open.Truncate(before))
		}
		return err
	}
	a.items++
	return nil
}

// end completes the array.
func (a *array) end() error {
	text := "]"
	if a.items == 0 {
		text = "[]"
	}
	_, _ = a.open.Seek(0, io.SeekEnd) // a pipe is always at its end
	_, err := io.WriteString(a.open, text)
	return err
}

// add appends a trace to the file without a number. A trace that comes after close is lost: the file is
// complete then.
func (f *file) add(trace io.Reader) (added bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return false
	}
	if f.whole.open == nil {
		opened, err := os.Create(f.path)
		if err != nil {
			f.complain(err)
			return false
		}
		f.whole.open = opened
	}
	err := f.whole.add(trace)
	if err != nil {
		f.complain(err)
	}
	return err == nil
}

// close completes the file without a number.
func (f *file) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	defer f.disown()
	if f.whole.open == nil {
		return
	}
	if err := errors.Join(f.whole.end(), f.whole.open.Close()); err != nil {
		f.complain(err)
	}
	f.whole.open = nil
}

// failed logs why traces are lost.
func (f *file) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.complain(err)
}

// complain logs once why traces are lost. f.mu is held.
func (f *file) complain(err error) {
	if !f.said {
		f.log.Error("failed creating trace file: "+err.Error(), "file", f.path)
	}
	f.said = true
}

// tidy completes what a killed server left, if anything.
func (f *file) tidy() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path != "" && len(f.leftovers()) > 0 {
		f.own()
	}
}

// number returns the name of the next numbered file; false after close. The file of another
// server is skipped.
func (f *file) number() (path string, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return "", false
	}
	f.own()
	for {
		path = f.path + "." + strconv.Itoa(f.next)
		f.next++
		if _, err := os.Lstat(path + unfinished); err != nil {
			return path, true
		}
	}
}

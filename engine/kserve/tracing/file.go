package tracing

import (
	"bytes"
	"log/slog"
	"os"
	"strconv"
	"sync"
)

// file is where traces go: itself, or numbered ones beside it.
type file struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex // guards what follows
	open *os.File
	next int
	said bool // that it cannot be written
}

// add appends a trace to the file, which is an array that close ends.
func (f *file) add(text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	between := ","
	if f.open == nil {
		opened, err := os.Create(f.path)
		if err != nil {
			f.complain(err)
			return
		}
		f.open, between = opened, "["
	}
	if _, err := f.open.Write(append([]byte(between), text...)); err != nil {
		f.complain(err)
	}
}

// number writes traces into a file of their own.
func (f *file) number(traces [][]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := f.path + "." + strconv.Itoa(f.next)
	f.next++
	text := append([]byte("["), bytes.Join(traces, []byte(","))...)
	if err := os.WriteFile(path, append(text, ']'), 0o644); err != nil {
		f.complain(err)
	}
}

// complain says once why traces are lost. f.mu is held.
func (f *file) complain(err error) {
	if !f.said {
		f.log.Error("failed creating trace file: "+err.Error(), "file", f.path)
	}
	f.said = true
}

func (f *file) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		return
	}
	_, err := f.open.WriteString("]")
	if closing := f.open.Close(); err == nil {
		err = closing
	}
	if err != nil {
		f.complain(err)
	}
	f.open = nil
}

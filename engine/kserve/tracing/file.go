package tracing

import (
	"bytes"
	"log/slog"
	"os"
	"strconv"
	"sync"
)

// file is the file of the traces, or the first part of the names of numbered files.
type file struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex // guards what follows
	open *os.File
	next int
	said bool // whether the error was logged
}

// add appends a trace to the file. The file is a JSON array; close ends it.
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

// number writes traces to a numbered file.
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

// complain logs once why traces are lost. f.mu is held.
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

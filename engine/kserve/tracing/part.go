package tracing

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// unfinished ends the name of a numbered file that does not have all its traces yet.
const unfinished = ".part"

// part is a numbered file that is being written. Its traces are on the disk, so they take no memory. It is
// open only while a trace is written, so the settings of many models take no open files.
type part struct {
	file   *file
	path   string // of the complete file
	array  array
	traces int // including those that could not be written
}

// begin returns the next numbered file; nil after close.
func (f *file) begin() *part {
	path, open := f.number()
	if !open {
		return nil
	}
	return &part{file: f, path: path}
}

// edit changes the file.
func (p *part) edit(change func(*array) error) error {
	flags := os.O_RDWR | os.O_CREATE
	if p.array.items == 0 {
		flags |= os.O_TRUNC // a process that was killed may have left it
	}
	var err error
	if p.array.open, err = os.OpenFile(p.path+unfinished, flags, 0o666); err != nil {
		return err
	}
	return errors.Join(change(&p.array), p.array.open.Close())
}

// add appends a trace.
func (p *part) add(trace []byte) {
	p.traces++
	if err := p.edit(func(a *array) error { return a.add(bytes.NewReader(trace)) }); err != nil {
		p.file.failed(err)
	}
}

// finish completes the array and gives the file its name.
func (p *part) finish() {
	err := p.edit((*array).end)
	if err == nil {
		err = os.Rename(p.path+unfinished, p.path)
	}
	if err != nil {
		p.file.failed(err)
	}
}

// join moves the traces to the file without a number. Where that file does not take them, for example
// because the disk is full, they stay where they are.
func (p *part) join() {
	if p.array.items == 0 {
		return
	}
	name := p.path + unfinished
	from, err := os.Open(name)
	if err == nil {
		_, err = from.Seek(int64(len("[")), io.SeekStart)
		added := p.file.add(from)
		err = errors.Join(err, from.Close())
		if added {
			err = errors.Join(err, os.Remove(name))
		}
	}
	if err != nil {
		p.file.failed(err)
	}
}

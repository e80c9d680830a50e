package sharedlib

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Damage is why a library must not be opened.
type Damage struct {
	Path string
	For  string // the library that needs it; "" for one that was asked about itself
	How  string // "it has 10 bytes, and by its own headers 20"
}

func (d *Damage) Error() string {
	if d.For != "" {
		return fmt.Sprintf("%s, which %s needs, is damaged: %s", d.Path, d.For, d.How)
	}
	return fmt.Sprintf("%s is damaged: %s", d.Path, d.How)
}

// judge says what is wrong with a library that ends before its own headers say that it does (a *Damage), and which libraries and
// folders it names. One that is not an ELF file, or not there, has none of all that.
func judge(path string) (needs, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return needs{}, nil // who opens it says so
	}
	if err != nil {
		return needs{}, err
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for
		return needs{}, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return needs{}, err
	}
	defer func() { _ = file.Close() }()
	magic := make([]byte, len(elf.ELFMAG))
	if n, err := file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return needs{}, fmt.Errorf("read %s: %w", path, err)
	} else if n > 0 && string(magic[:n]) != elf.ELFMAG[:n] {
		return needs{}, nil
	}
	f, err := elf.NewFile(file)
	if err != nil {
		return needs{}, &Damage{Path: path, How: fmt.Sprintf("its headers cannot be read (%v)", err)}
	}
	defer func() { _ = f.Close() }()
	if wanted := lengthOf(f); wanted > uint64(info.Size()) {
		return needs{}, &Damage{Path: path, How: fmt.Sprintf("it has %d bytes, and by its own headers %d", info.Size(), wanted)}
	}
	return needsOf(f, path), nil
}

// lengthOf is how long an ELF file has to be for all that its headers name. Package elf reads no file with an offset or a size of
// 2^63 or more, so the sums do not wrap around.
func lengthOf(f *elf.File) (length uint64) {
	for _, p := range f.Progs {
		length = max(length, p.Off+p.Filesz)
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS && s.FileSize > 0 {
			length = max(length, s.Offset+s.FileSize)
		}
	}
	return length
}

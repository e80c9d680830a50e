package ort

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
)

// checkWhole says what is wrong with a library that ends before its own headers say that it does. Opened, it would end the
// process with SIGBUS whenever a missing page is touched. A file that is not an ELF file is left to the system to judge.
func checkWhole(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open ONNX Runtime: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open ONNX Runtime: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	magic := make([]byte, len(elf.ELFMAG))
	if n, err := file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", path, err)
	} else if n > 0 && string(magic[:n]) != elf.ELFMAG[:n] {
		return nil
	}
	wanted, err := lengthOf(file)
	switch {
	case err != nil:
		return damaged(path, fmt.Sprintf("its headers cannot be read (%v)", err))
	case wanted > uint64(info.Size()):
		return damaged(path, fmt.Sprintf("it has %d bytes, and by its own headers %d", info.Size(), wanted))
	}
	return nil
}

func damaged(path, how string) error {
	return fmt.Errorf("the ONNX Runtime library %s is damaged: %s. Put a whole one in its place: `make build` downloads it again if it is in build/cache", path, how)
}

// lengthOf is how long an ELF file has to be for all that its headers name.
func lengthOf(file io.ReaderAt) (length uint64, err error) {
	f, err := elf.NewFile(file)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		length = max(length, p.Off+p.Filesz)
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS {
			length = max(length, s.Offset+s.FileSize)
		}
	}
	return length, nil
}

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// copyFolder copies the libraries of a folder, as an unpacked package or release has it. Links are left out: releases have the
// library under its full name, and links to it.
func copyFolder(ctx context.Context, from, to string) error {
	dir, err := libraryFolder(from)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	left := room(mostBytes)
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !wanted(entry.Name()) && !notices[entry.Name()] {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !left.take(uint64(info.Size())) {
			return fmt.Errorf("the libraries in %s have more than %s", dir, mostBytesText())
		}
		err = copyFile(ctx, filepath.Join(dir, entry.Name()), filepath.Join(to, placeName(entry.Name())), info.Size())
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("the folder %s has more than one ONNX Runtime: keep one of them", dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// libraryFolder returns the folder with ONNX Runtime: the given one, or where packages and releases have it below that.
func libraryFolder(from string) (string, error) {
	link := ""
	for _, below := range []string{"", "lib", filepath.Join("onnxruntime", "capi"), "capi"} {
		dir := filepath.Join(from, below)
		entries, err := os.ReadDir(dir)
		if err != nil && below == "" {
			return "", err
		}
		for _, entry := range entries {
			if !mainLibrary.MatchString(entry.Name()) {
				continue
			}
			if entry.Type().IsRegular() {
				return dir, nil
			}
			if entry.Type()&os.ModeSymlink != 0 {
				link = filepath.Join(dir, entry.Name())
			}
		}
	}
	if link != "" {
		to, _ := os.Readlink(link)
		return "", fmt.Errorf("%s is a link, to %s, and what is not beside it is not taken: name the folder that has the library itself", link, to)
	}
	return "", fmt.Errorf("there is no %s in %s, in its lib, or in its onnxruntime/capi, and no wheel of ONNX Runtime in it", LibraryName(), from)
}

// copyFile copies a file of that size, until ctx ends.
func copyFile(ctx context.Context, from, to string, size int64) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := writeFile(to, reading{ctx, f}, size); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// reading ends with its context.
type reading struct {
	ctx  context.Context
	from io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

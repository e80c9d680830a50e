package runtimes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// copyFolder copies the libraries of a folder, as an unpacked package or release has it. Links are left out: releases have the
// library under its full name, and links to it.
func copyFolder(from, to string) error {
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
		size, err := copyFile(filepath.Join(dir, entry.Name()), filepath.Join(to, placeName(entry.Name())))
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("the folder %s has more than one ONNX Runtime: keep one of them", dir)
		}
		if err != nil {
			return err
		}
		if !left.take(uint64(size)) {
			return fmt.Errorf("the libraries in %s have more than %s", dir, mostBytesText())
		}
	}
	return nil
}

// libraryFolder returns the folder with ONNX Runtime: the given one, or where packages and releases have it below that.
func libraryFolder(from string) (string, error) {
	for _, below := range []string{"", "lib", filepath.Join("onnxruntime", "capi"), "capi"} {
		dir := filepath.Join(from, below)
		entries, err := os.ReadDir(dir)
		if err != nil && below == "" {
			return "", err
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && mainLibrary.MatchString(entry.Name()) {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("there is no %s in %s, in its lib, or in its onnxruntime/capi, and no wheel of ONNX Runtime in it", LibraryName(), from)
}

func copyFile(from, to string) (int64, error) {
	f, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if err := writeFile(to, f, info.Size()); err != nil {
		return 0, fmt.Errorf("copy %s: %w", from, err)
	}
	return info.Size(), nil
}

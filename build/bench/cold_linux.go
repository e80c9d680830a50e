package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// forget has the kernel drop the pages of a file that it keeps and nobody maps. Of pages that it has anyway, the kernel maps
// those around each one that is used: how many depends on how the file was read or written before.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("drop the pages of a file: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil { // what is not yet on the disk is not dropped
		return fmt.Errorf("write %s to the disk: %w", path, err)
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

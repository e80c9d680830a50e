package enginehost

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// socketDir makes a folder that only this user can enter. Paths of sockets may be about 100 bytes long, so a
// long TMPDIR is not used.
func socketDir() (string, error) {
	pattern := fmt.Sprintf("conch-engine-%d-*", os.Getpid())
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if parent == "" || len(parent) > 50 {
			continue
		}
		if dir, err := os.MkdirTemp(parent, pattern); err == nil { // makes it 0700
			removeLeftovers(parent)
			return dir, nil
		}
	}
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", fmt.Errorf("make a folder for the engine's socket: %w", err)
	}
	return dir, nil
}

// leftoverAge keeps the folders of a workbench in a container out of reach, whose process cannot be seen from here.
const leftoverAge = 24 * time.Hour

// removeLeftovers removes the folders of workbenches that were killed.
func removeLeftovers(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, "conch-engine-*"))
	for _, dir := range dirs {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), "conch-engine-%d-", &pid); err != nil || pid <= 0 {
			continue
		}
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < leftoverAge {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			_ = os.RemoveAll(dir)
		}
	}
}

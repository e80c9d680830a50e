// Package cudatest is a CUDA driver without a GPU, for tests. It is compiled by the tests that need it.
package cudatest

import (
	_ "embed"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"conch/engine/cuda"
)

//go:embed testdata/driver.c
var source string

// Library compiles the driver's library into a folder of its own, and returns its path.
func Library(t testing.TB) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), cuda.Library)
	compiler := exec.Command("cc", "-shared", "-fPIC", "-O1", "-x", "c", "-o", library, "-")
	compiler.Stdin = strings.NewReader(source)
	if out, err := compiler.CombinedOutput(); err != nil {
		t.Fatalf("compile the driver: %v\n%s", err, out)
	}
	return library
}

// Memory is memory on the GPU as its owner has it.
type Memory struct {
	Handle cuda.Handle
	Path   string
}

var made atomic.Int64

// Make makes memory of a size.
func Make(t testing.TB, size int64) Memory {
	t.Helper()
	name := "conch-fake-gpu-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(made.Add(1), 10)
	m := Memory{Path: filepath.Join("/dev/shm", name)}
	copy(m.Handle[:], name)
	if err := os.WriteFile(m.Path, nil, 0o600); err != nil {
		t.Skipf("this machine has no shared memory: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(m.Path) })
	m.Resize(t, size)
	return m
}

// Resize makes the memory smaller, as if its owner had freed it.
func (m Memory) Resize(t testing.TB, size int64) {
	t.Helper()
	if err := os.Truncate(m.Path, size); err != nil {
		t.Fatal(err)
	}
}

// Behind is a handle of what begins at an offset in the memory.
func (m Memory) Behind(offset uint64) cuda.Handle {
	h := m.Handle
	binary.LittleEndian.PutUint64(h[56:], offset)
	return h
}

// Write is how the owner writes.
func (m Memory) Write(t testing.TB, data []byte, offset int64) {
	t.Helper()
	f, err := os.OpenFile(m.Path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(data, offset)
		_ = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Bytes is how the owner reads all.
func (m Memory) Bytes(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(m.Path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Opened counts how often this process has the memory open.
func (m Memory) Opened(t testing.TB) int { return m.OpenedBy(t, os.Getpid()) }

// OpenedBy counts how often a process has the memory open.
func (m Memory) OpenedBy(t testing.TB, pid int) int {
	t.Helper()
	maps, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "maps"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), m.Path+"\n")
}

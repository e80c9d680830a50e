package mapped_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"conch/engine/kserve/region/mapped"
)

const pages = 4

// file makes a file of ones.
func file(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "f"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte{1}, pages*os.Getpagesize()))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// The bytes are those of the file, both ways.
func TestMap(t *testing.T) {
	f, page := file(t), os.Getpagesize()
	m, err := mapped.Map(f, int64(page), 2*page)
	if err != nil {
		t.Fatal(err)
	}
	m.Bytes()[0] = 2
	if _, err := f.WriteAt([]byte{3}, int64(page)+1); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1)
	if _, err := f.ReadAt(got, int64(page)); err != nil || got[0] != 2 || m.Bytes()[1] != 3 || m.Torn() {
		t.Errorf("%v %v %d %v", got, err, m.Bytes()[1], m.Torn())
	}
	m.Close()
	if _, err := mapped.Map(f, 1, page); err == nil {
		t.Error("an offset within a page was taken")
	}
}

// What is behind the end of a shortened file is zeros, and does not end the process. What is before stays the file's.
func TestShortened(t *testing.T) {
	f, page := file(t), os.Getpagesize()
	m, err := mapped.Map(f, 0, pages*page)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := f.Truncate(int64(page)); err != nil {
		t.Fatal(err)
	}
	if m.Torn() {
		t.Error("torn before anybody looked")
	}
	sum := 0
	for _, b := range m.Bytes() {
		sum += int(b)
	}
	if sum != page || !m.Torn() {
		t.Errorf("the sum is %d, want %d; torn %v", sum, page, m.Torn())
	}
	m.Bytes()[pages*page-1] = 5 // is lost
	if info, err := f.Stat(); err != nil || info.Size() != int64(page) {
		t.Errorf("%v, %v", info.Size(), err)
	}
	other, err := mapped.Map(f, 0, page)
	if err != nil || other.Torn() {
		t.Fatalf("another mapping is torn: %v", err)
	}
	other.Close()
}

// A fault elsewhere reaches Go, as before.
func TestOtherFaults(t *testing.T) {
	f, page := file(t), os.Getpagesize()
	m, err := mapped.Map(f, 0, page)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	raw, err := unix.Mmap(int(f.Fd()), 0, pages*page, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(raw) }()
	if err := f.Truncate(int64(page)); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("no fault")
		}
		if m.Torn() {
			t.Error("a mapping is torn that nobody shortened")
		}
	}()
	t.Errorf("%d was read behind the end", bytes.Count(raw, []byte{1}))
}

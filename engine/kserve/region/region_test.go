package region

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/infer"
)

const page = 4096

// newRegions has objects that are files in a folder of the test, by their key.
func newRegions(t *testing.T, sizes map[string]int64) (*Regions, string) {
	t.Helper()
	dir := t.TempDir()
	for key, size := range sizes {
		path := filepath.Join(dir, key)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	r := New("no driver", nil)
	r.open = func(key string) (*os.File, error) { return os.OpenFile(filepath.Join(dir, key), os.O_RDWR, 0) }
	t.Cleanup(r.Close)
	return r, dir
}

// refused checks the code and the beginning or end of an error's text.
func refused(t *testing.T, err error, code infer.Code, part string) {
	t.Helper()
	if err == nil || infer.CodeOf(err) != code || !strings.Contains(err.Error(), part) {
		t.Errorf("%v: %v, want %v: %s", infer.CodeOf(err), err, code, part)
	}
}

func TestRegister(t *testing.T) {
	r, _ := newRegions(t, map[string]int64{"k": 4 * page})
	if err := r.Register("a", "k", page, 2*page); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, key    string
		offset, size uint64
		code         infer.Code
		part         string
	}{
		{"a", "k", 0, page, infer.AlreadyExists, "shared memory region 'a' already in manager"},
		{"b", "k", page, 4 * page, infer.InvalidArg, "failed to register shared memory region 'b': invalid args"},
		{"b", "k", 5 * page, 1, infer.InvalidArg, "invalid args"},
		{"b", "k", 1 << 63, 1 << 63, infer.InvalidArg, "invalid args"},
		{"b", "k", 0, 1<<64 - 1, infer.InvalidArg, "invalid args"},
		{"b", "k", 0, 0, infer.InvalidArg, "unable to process address spaceInvalid argument"},
		{"b", "k", 8, 8, infer.InvalidArg, "unable to process address spaceInvalid argument"},
		{"b", "//", 0, 8, infer.InvalidArg, "invalid shm key '//'"},
		{"b", "", 0, 8, infer.InvalidArg, "invalid shm key ''"},
		{"b", "/triton_python_backend_shm_region_x", 0, 8, infer.InvalidArg, "reserved prefix"},
	} {
		refused(t, r.Register(test.name, test.key, test.offset, test.size), test.code, test.part)
	}
	if list, err := r.Status(System, ""); err != nil || len(list) != 1 || list[0] != (Status{Name: "a", Key: "k", Offset: page, Size: 2 * page}) {
		t.Errorf("%v, %v", list, err)
	}
	_, err := r.Status(System, "b")
	refused(t, err, infer.NotFound, "Unable to find system shared memory region: 'b'")
	_, err = r.Status(CUDA, "b")
	refused(t, err, infer.NotFound, "Unable to find cuda shared memory region: 'b'")
	_, err = r.Status(CUDA, "a")
	refused(t, err, infer.NotFound, "is registered as system shared memory, not CUDA shared memory")
	refused(t, r.RegisterCUDA("c", make([]byte, 64), 0, page), infer.InvalidArg,
		"failed to register shared memory region: invalid args: CUDA finds no GPU: ")
}

func TestUse(t *testing.T) {
	r, _ := newRegions(t, map[string]int64{"k": 2 * page})
	if err := r.Register("a", "k", page, 100); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name         string
		offset, size uint64
		code         infer.Code
		part         string
	}{
		{"b", 0, 1, infer.NotFound, "Unable to find shared memory region: 'b'"},
		{"a", 100, 0, infer.InvalidArg, "Invalid offset for shared memory region: 'a'"},
		{"a", 1, 100, infer.InvalidArg, "Invalid offset + byte size for shared memory region: 'a'"},
		{"a", 1, 1<<64 - 1, infer.InvalidArg, "Integer overflow detected"},
	} {
		_, err := r.Use(test.name, test.offset, test.size)
		refused(t, err, test.code, test.part)
	}
	span, err := r.Use("a", 90, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer span.Release()
	if err := span.Write("OUT", []byte("0123456789")); err != nil {
		t.Error(err)
	}
	refused(t, span.Write("OUT", make([]byte, 11)), infer.Internal,
		"shared memory size specified with the request for output 'OUT' (10 bytes) should be at least 11 bytes to hold the results")
	got := make([]byte, span.Size())
	if err := span.Read(got); err != nil || string(got) != "0123456789" {
		t.Errorf("%q, %v", got, err)
	}
}

// A client that shortens its object gets an error, and its object does not grow again.
func TestShortened(t *testing.T) {
	r, dir := newRegions(t, map[string]int64{"k": 2 * page})
	if err := r.Register("a", "k", 0, 2*page); err != nil {
		t.Fatal(err)
	}
	span, err := r.Use("a", page, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer span.Release()
	if err := os.Truncate(filepath.Join(dir, "k"), page+5); err != nil {
		t.Fatal(err)
	}
	refused(t, span.Read(make([]byte, 10)), infer.InvalidArg, "region 'a' is shorter than when it was registered")
	refused(t, span.Write("OUT", make([]byte, 10)), infer.InvalidArg, "region 'a' is shorter than when it was registered")
	if info, err := os.Stat(filepath.Join(dir, "k")); err != nil || info.Size() != page+5 {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

// A region that a request uses is removed when the request has ended.
func TestUnregister(t *testing.T) {
	r, _ := newRegions(t, map[string]int64{"k": page})
	for _, name := range []string{"a", "b"} {
		if err := r.Register(name, "k", 0, page); err != nil {
			t.Fatal(err)
		}
	}
	span, err := r.Use("a", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"unknown", ""} {
		if err := r.Unregister(System, name); err != nil {
			t.Error(err)
		}
	}
	if err := r.Unregister(CUDA, "a"); err != nil {
		t.Error(err)
	}
	if list, _ := r.Status(System, ""); len(list) != 1 || list[0].Name != "a" {
		t.Errorf("while a request uses it: %v", list)
	}
	if err := span.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	span.Release()
	if list, _ := r.Status(System, ""); len(list) != 0 {
		t.Errorf("afterwards: %v", list)
	}
	if err := r.Register("a", "k", 0, page); err != nil {
		t.Error(err)
	}
}

// The number of regions is bounded, since each has a descriptor.
func TestManyRegions(t *testing.T) {
	r, _ := newRegions(t, map[string]int64{"k": page})
	for i := range maxRegions {
		if err := r.Register(string(rune('0'+i)), "k", 0, page); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, r.Register("more", "k", 0, page), infer.Unavailable, "1024 are registered; unregister one first")
}

// Without the flag nothing is registered.
func TestOff(t *testing.T) {
	var r *Regions
	const disabled = "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable."
	refused(t, r.Register("a", "k", 0, page), infer.Unsupported, disabled)
	refused(t, r.Unregister(System, ""), infer.Unsupported, disabled)
	refused(t, r.RegisterCUDA("a", make([]byte, 64), 0, page), infer.Unsupported, disabled)
	if list, err := r.Status(System, ""); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	_, err := r.Use("a", 0, 1)
	refused(t, err, infer.NotFound, "Unable to find shared memory region: 'a'")
	r.Close()
}

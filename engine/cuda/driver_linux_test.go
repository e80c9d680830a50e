package cuda_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/engine/cuda"
	"conch/engine/cuda/cudatest"
)

func driver(t *testing.T) *cuda.Driver {
	t.Helper()
	d, err := cuda.Open(cudatest.Library(t))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Both processes see the same bytes, also where the memory is a part of a larger piece.
func TestMemoryOfAnotherProcess(t *testing.T) {
	d, owner := driver(t), cudatest.Make(t, 4096)
	owner.Write(t, []byte("hello"), 1024)
	m, err := d.Open(owner.Behind(1024), 1)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if err := m.Read(got, 0); err != nil || string(got) != "hello" || m.Size() != 3072 {
		t.Errorf("%q of %d bytes, %v", got, m.Size(), err)
	}
	if err := m.Write([]byte("HE"), 1); err != nil || string(owner.Bytes(t)[1024:1029]) != "hHElo" {
		t.Errorf("%q, %v", owner.Bytes(t)[1024:1029], err)
	}
	if m.Read(make([]byte, 2), 3071) == nil || m.Write(make([]byte, 1), 1<<63) == nil || m.Read(nil, 3072) != nil {
		t.Error("a part outside of the memory was reached")
	}
	if owner.Opened(t) != 1 {
		t.Errorf("open %d times", owner.Opened(t))
	}
	if err := m.Close(); err != nil || owner.Opened(t) != 0 {
		t.Errorf("after the end open %d times, %v", owner.Opened(t), err)
	}
}

func TestMemoryThatIsNotThere(t *testing.T) {
	d, owner := driver(t), cudatest.Make(t, 16)
	for name, c := range map[string]struct {
		handle cuda.Handle
		device int
		want   string
	}{
		"a device that is not there": {owner.Handle, 2, "open memory on GPU 2: invalid device ordinal (CUDA error 101)"},
		"a negative one":             {owner.Handle, -1, "open memory on GPU -1: invalid device ordinal (CUDA error 101)"},
		"no handle":                  {cuda.Handle{}, 0, "open memory on GPU 0: invalid argument (CUDA error 1)"},
		"nothing behind it":          {cuda.Handle{'x'}, 0, "open memory on GPU 0: named symbol not found (CUDA error 500)"},
	} {
		if _, err := d.Open(c.handle, c.device); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Memory that its owner has freed is an error and not the end of the process.
func TestFreedMemory(t *testing.T) {
	d, owner := driver(t), cudatest.Make(t, 4096)
	m, err := d.Open(owner.Handle, 0)
	if err != nil {
		t.Fatal(err)
	}
	owner.Resize(t, 8)
	if err := m.Read(make([]byte, 16), 0); err == nil || !strings.Contains(err.Error(), "invalid argument (CUDA error 1)") {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// Goroutines change threads, and a context belongs to a thread.
func TestManyAtOnce(t *testing.T) {
	d, owner := driver(t), cudatest.Make(t, 64)
	m, err := d.Open(owner.Handle, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			got := make([]byte, 1)
			if err := errors.Join(m.Write([]byte{byte(i)}, uint64(i)), m.Read(got, uint64(i))); err != nil || got[0] != byte(i) {
				t.Errorf("%d: %v, %v", i, got, err)
			}
		})
	}
	all.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoDriver(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.so")
	compiler := exec.Command("cc", "-shared", "-fPIC", "-x", "c", "-o", other, "-")
	compiler.Stdin = strings.NewReader("int cuInit(unsigned flags) { return (int)flags; }")
	if out, err := compiler.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(cudatest.Library(t))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.so")
	if err := os.WriteFile(cut, whole[:len(whole)/4], 0o600); err != nil {
		t.Fatal(err)
	}
	for library, want := range map[string]string{
		filepath.Join(dir, "none.so"): "cannot open shared object file",
		text:                          "file too short",
		cut:                           "is damaged: its headers cannot be read (EOF). Install NVIDIA's driver again",
		other:                         "has no function cuGetErrorString: the driver is too old",
	} {
		if _, err := cuda.Open(library); !errors.Is(err, cuda.ErrAbsent) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", library, err)
		}
	}
}

package region

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"conch/engine/cuda/cudatest"
	"conch/engine/infer"
)

func withDriver(t *testing.T) *Regions {
	t.Helper()
	r := New(cudatest.Library(t), func(device int, why string) { t.Errorf("GPU %d is called lost: %s", device, why) })
	t.Cleanup(r.Close)
	return r
}

// A region of a GPU is read and written where its client has it, and closed when it is unregistered.
func TestGPU(t *testing.T) {
	r, owner := withDriver(t), cudatest.Make(t, page)
	if err := r.RegisterCUDA("g", owner.Handle[:], 1, 100); err != nil {
		t.Fatal(err)
	}
	if list, err := r.Status(CUDA, "g"); err != nil || len(list) != 1 || list[0] != (Status{Name: "g", Size: 100, Device: 1}) {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := r.Status(System, ""); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	_, err := r.Status(System, "g")
	refused(t, err, infer.NotFound, "The region named 'g' is registered as CUDA shared memory, not system shared memory")
	_, err = r.Use("g", 50, 51)
	refused(t, err, infer.InvalidArg, "Invalid offset + byte size for shared memory region: 'g'")

	span, err := r.Use("g", 10, 5)
	if err != nil {
		t.Fatal(err)
	}
	owner.Write(t, []byte("hello"), 10)
	got := make([]byte, 5)
	if err := errors.Join(span.Read(got), span.Whole()); err != nil || string(got) != "hello" || span.Bytes() != nil {
		t.Errorf("%q, %v", got, err)
	}
	away, there := span.Away(), make([]byte, 5)
	self, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	if _, err := self.ReadAt(there, int64(away.Address())); err != nil || away.GPU() != 1 || away.Size() != 5 || string(there) != "hello" {
		t.Errorf("GPU %d, %q, %v", away.GPU(), there, err)
	}
	if err := span.Write("OUT", []byte("HE")); err != nil || !bytes.HasPrefix(owner.Bytes(t)[10:], []byte("HEllo")) {
		t.Errorf("%q, %v", owner.Bytes(t)[:20], err)
	}
	refused(t, span.Write("OUT", make([]byte, 6)), infer.Internal, "output 'OUT' (5 bytes) should be at least 6 bytes")

	if err := errors.Join(r.Unregister(System, "g"), r.Unregister(CUDA, "")); err != nil || owner.Opened(t) != 1 {
		t.Errorf("while a request uses it: open %d times, %v", owner.Opened(t), err)
	}
	span.Release()
	if list, _ := r.Status(CUDA, ""); len(list) != 0 || owner.Opened(t) != 0 {
		t.Errorf("afterwards: %v, open %d times", list, owner.Opened(t))
	}
}

// Nothing stays open of a region that is refused.
func TestGPUsThatAreRefused(t *testing.T) {
	r, owner := withDriver(t), cudatest.Make(t, page)
	if err := r.RegisterCUDA("a", owner.Handle[:], 0, page); err != nil {
		t.Fatal(err)
	}
	part := owner.Behind(page - 8)
	for name, c := range map[string]struct {
		region string
		handle []byte
		device int64
		size   uint64
		code   infer.Code
		part   string
	}{
		"a name twice":      {"a", owner.Handle[:], 0, 8, infer.AlreadyExists, "shared memory region 'a' already in manager"},
		"a short handle":    {"b", owner.Handle[:63], 0, 8, infer.InvalidArg, "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t"},
		"a long handle":     {"b", make([]byte, 65), 0, 8, infer.InvalidArg, "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t"},
		"no memory":         {"b", make([]byte, 64), 0, 8, infer.InvalidArg, "failed to register shared memory region: invalid args: open memory on GPU 0"},
		"another device":    {"b", owner.Handle[:], 7, 8, infer.InvalidArg, "failed to register shared memory region: invalid args: open memory on GPU 7"},
		"no device":         {"b", owner.Handle[:], -1, 8, infer.InvalidArg, "failed to register shared memory region: invalid args: there is no GPU -1"},
		"a size that lies":  {"b", owner.Handle[:], 0, page + 1, infer.InvalidArg, "failed to register shared memory region 'b': invalid args: it has 4096 bytes"},
		"the largest":       {"b", owner.Handle[:], 0, 1<<64 - 1, infer.InvalidArg, "failed to register shared memory region 'b': invalid args"},
		"behind the handle": {"b", part[:], 0, 9, infer.InvalidArg, "failed to register shared memory region 'b': invalid args: it has 8 bytes"},
	} {
		err := r.RegisterCUDA(c.region, c.handle, c.device, c.size)
		if err == nil || infer.CodeOf(err) != c.code || !bytes.HasPrefix([]byte(err.Error()), []byte(c.part)) {
			t.Errorf("%s: %v %v", name, infer.CodeOf(err), err)
		}
	}
	if list, _ := r.Status(CUDA, ""); len(list) != 1 || owner.Opened(t) != 1 {
		t.Errorf("%v, open %d times", list, owner.Opened(t))
	}
}

// Memory that its client has freed fails the request that uses it, and can be unregistered.
func TestFreedGPUMemory(t *testing.T) {
	r, owner := withDriver(t), cudatest.Make(t, page)
	if err := r.RegisterCUDA("g", owner.Handle[:], 0, page); err != nil {
		t.Fatal(err)
	}
	span, err := r.Use("g", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	owner.Resize(t, 10)
	const gone = "shared memory region 'g' cannot be used: "
	refused(t, span.Read(make([]byte, 100)), infer.Internal, gone+"read memory of a GPU: invalid argument")
	refused(t, span.Write("OUT", make([]byte, 100)), infer.Internal, gone+"write memory of a GPU: invalid argument")
	span.Release()
	if err := r.Unregister(CUDA, "g"); err != nil || owner.Opened(t) != 0 {
		t.Errorf("open %d times, %v", owner.Opened(t), err)
	}
}

// A driver that is slow to open memory holds up nobody else, and the name is taken meanwhile.
func TestSlowOpening(t *testing.T) {
	r, _ := newRegions(t, map[string]int64{"k": page, "slow": page})
	begun, resume := make(chan struct{}), make(chan struct{})
	quick := r.open
	r.open = func(key string) (*os.File, error) {
		if key == "slow" {
			close(begun)
			<-resume
		}
		return quick(key)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Register("s", "slow", 0, page) }()
	<-begun
	refused(t, r.Register("s", "k", 0, page), infer.AlreadyExists, "already in manager")
	if err := r.Register("k", "k", 0, page); err != nil {
		t.Error(err)
	}
	if list, _ := r.Status(System, ""); len(list) != 1 {
		t.Errorf("%v", list)
	}
	close(resume)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if list, _ := r.Status(System, ""); len(list) != 2 {
		t.Errorf("%v", list)
	}
}

// A GPU of which the driver says that this process can use it no more is told as lost, whatever is done with its memory.
func TestLostGPU(t *testing.T) {
	r, owner := withDriver(t), cudatest.Make(t, page)
	if err := r.RegisterCUDA("g", owner.Handle[:], 1, page); err != nil {
		t.Fatal(err)
	}
	span, err := r.Use("g", 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	defer span.Release()
	var lost []string
	r.lost = func(device int, why string) { lost = append(lost, fmt.Sprintf("GPU %d: %s", device, why)) }
	t.Setenv("FAKE_CUDA_BROKEN", "1")
	const says = "an illegal memory access was encountered (CUDA error 700)"
	refused(t, span.Read(make([]byte, 8)), infer.Internal, says)
	refused(t, span.Write("OUT", make([]byte, 8)), infer.Internal, says)
	refused(t, r.RegisterCUDA("h", owner.Handle[:], 0, page), infer.InvalidArg, says)
	want := []string{"GPU 1: read memory of a GPU: " + says, "GPU 1: write memory of a GPU: " + says, "GPU 0: open memory on GPU 0: " + says}
	if !slices.Equal(lost, want) {
		t.Errorf("%q", lost)
	}
	// A handle that the driver cannot open is a client's, and says nothing of the GPU; a copy that fails so does.
	lost = nil
	t.Setenv("FAKE_CUDA_BROKEN", "unknown")
	const unknown = "unknown error (CUDA error 999)"
	refused(t, r.RegisterCUDA("h", owner.Handle[:], 0, page), infer.InvalidArg, unknown)
	refused(t, span.Read(make([]byte, 8)), infer.Internal, unknown)
	if want := []string{"GPU 1: read memory of a GPU: " + unknown}; !slices.Equal(lost, want) {
		t.Errorf("%q", lost)
	}
}

package device

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// answerVariable has this test program be the process that reads the GPUs for another one.
const answerVariable = "CONCH_TEST_ANSWER_GPUS"

// readerOf starts this test program with a management library in a folder, as a machine has it that a file tells of.
func readerOf(dir, machine string) Reader {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), answerVariable+"=1", "LD_LIBRARY_PATH="+dir, "FAKE_NVML="+machine)
		return cmd
	}
}

// found has this process find a library where the one that it starts finds it.
func found(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("LD_LIBRARY_PATH", dir) // the loader has read it already: only where files lie is asked here
}

// The GPUs that a process of its own reads are those that the library tells of, also later, and with numbers that nobody knows.
func TestGPUsReadApart(t *testing.T) {
	fake, err := os.ReadFile("testdata/nvml.c")
	if err != nil {
		t.Fatal(err)
	}
	dir, machine := compile(t, string(fake)), filepath.Join(t.TempDir(), "machine")
	found(t, dir)
	a := libraryBy(readerOf(dir, machine))
	if err := a.open(); !errors.Is(err, errAbsent) {
		t.Errorf("without a driver: %v", err)
	}
	put(t, machine, "gpu 85899345920 1 50 0 30 0 NVIDIA H100\nprocess 0 77 1024\n")
	if err := a.open(); err != nil {
		t.Fatal(err)
	}
	for _, busy := range []string{"50", "60"} {
		put(t, machine, "gpu 85899345920 1 "+busy+" 0 30 0 NVIDIA H100\nprocess 0 77 1024\n")
		s, err := a.read()
		if err != nil || len(s.GPUs) != 1 || s.GPUs[0].Name != "NVIDIA H100" || s.GPUs[0].Utilization*100 != map[string]float64{"50": 50, "60": 60}[busy] ||
			s.GPUs[0].Power == s.GPUs[0].Power || s.GPUs[0].Processes[0].PID != 77 { // NaN is unlike itself
			t.Errorf("%s: %+v, %v", busy, s, err)
		}
	}
	put(t, machine, "gpu 85899345920 1 0 0 30 999 NVIDIA H100\n")
	if _, err := a.read(); err == nil || !strings.HasPrefix(err.Error(), "reach GPU 0: ") {
		t.Errorf("a driver that fails: %v", err)
	}
	a.close()
}

// A library that ends its process, at its start or later, ends no other one, and the reason is told.
func TestLibraryThatEndsItsProcess(t *testing.T) {
	fake, err := os.ReadFile("testdata/nvml.c")
	if err != nil {
		t.Fatal(err)
	}
	machine := filepath.Join(t.TempDir(), "machine")
	put(t, machine, "gpu 85899345920 1 0 0 30 0 NVIDIA H100\n")
	const says = "the process that asks the driver's library ended without an answer"
	for _, c := range []struct{ in, does, says string }{
		{"int nvmlInit_v2(void) {", `*(volatile int *)8 = 1;`, says + ": SIGSEGV: segmentation violation"},
		{"int nvmlInit_v2(void) {", `abort();`, says + ": SIGABRT: abort"},
		{"int nvmlInit_v2(void) {", `_exit(0);`, says},
		{"int nvmlInit_v2(void) {", `puts("the driver is odd"), fflush(stdout), _exit(3);`, says + ": the driver is odd"},
		{"int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *heat) {", `*(volatile int *)8 = 1;`, says + ": SIGSEGV: segmentation violation"},
		{"int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *heat) {", `_exit(0);`, says},
		{"int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *heat) {", `for (;;) puts("again and again");`, "the driver's library has not answered within 2 seconds"},
		{"int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *heat) {", `if (fork() == 0) pause(); _exit(0);`, says},
	} {
		dir := compile(t, "#include <unistd.h>\n"+strings.Replace(string(fake), c.in, c.in+c.does, 1))
		found(t, dir)
		a := libraryBy(readerOf(dir, machine)).(*apart)
		if strings.Contains(c.says, "2 seconds") {
			a.patience = 2 * time.Second
		}
		err := a.open()
		if err == nil {
			_, err = a.read()
			a.close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: %v", c.does, err)
		}
	}
}

// A watcher goes on with the next process where one has ended.
func TestWatcherAfterALibraryThatEnded(t *testing.T) {
	fake, err := os.ReadFile("testdata/nvml.c")
	if err != nil {
		t.Fatal(err)
	}
	good, machine := compile(t, string(fake)), filepath.Join(t.TempDir(), "machine")
	bad := compile(t, strings.Replace(string(fake), "int nvmlInit_v2(void) {", "int nvmlInit_v2(void) { abort();", 1))
	found(t, good)
	put(t, machine, "gpu 85899345920 1 0 0 30 0 NVIDIA H100\n")
	var mended atomic.Bool
	reader := func() *exec.Cmd {
		if mended.Load() {
			return readerOf(good, machine)()
		}
		return readerOf(bad, machine)()
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := Watch(ctx, reader, time.Hour, slog.New(slog.DiscardHandler))
	if s := w.Known(); !strings.Contains(s.Trouble, "ended without an answer: SIGABRT: abort") || len(s.GPUs) != 0 {
		t.Errorf("%+v", s)
	}
	mended.Store(true)
	if s := w.Fresh(); s.Trouble != "" || len(s.GPUs) != 1 {
		t.Errorf("%+v", s)
	}
	cancel()
	<-w.ended
	if s := Read(t.Context(), readerOf(bad, machine), time.Minute); !strings.Contains(s.Trouble, "ended without an answer: SIGABRT: abort") {
		t.Errorf("%+v", s)
	}
}

package python_test

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// cyclesVariable is how many cycles TestCyclesLeaveNothing runs; a person may want 1,000, which take about ten minutes.
const cyclesVariable = "CONCH_CYCLES"

// wild is a model that starts what it can, and then dies as its input says.
const wild = `
import ctypes
import multiprocessing
import os
import signal
import subprocess
import threading

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        if args["model_version"] == "9":
            os.abort()

    def execute(self, requests):
        large, what = requests[0].inputs()
        self.kept = large.as_numpy()
        what = what.as_numpy()[0, 0].decode()
        subprocess.Popen(["sleep", "1000"])
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        subprocess.run(["setsid", "--fork", "env", "-i", "sleep", "1000"], check=True)
        threading.Thread(target=threading.Event().wait).start()
        if os.fork() == 0:
            threading.Event().wait()
        if what == "exit":
            os._exit(7)
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "segfault":
            ctypes.string_at(0)
        if what == "close":
            os.close(3)
            threading.Event().wait()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", self.kept)])]
`

// Nothing is left of models that are loaded, asked, end in any way and are unloaded, again and again: no process, no shared
// memory, no descriptor, no goroutine and no file.
func TestCyclesLeaveNothing(t *testing.T) {
	count := 21
	if text := os.Getenv(cyclesVariable); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := t.TempDir()
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: dir, Log: slog.New(slog.DiscardHandler)})
	defer func() { _ = b.Close() }()
	cfg := flat(tensor.FP32)
	cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: "WHAT", DataType: modelconfig.DataType_TYPE_STRING, Dims: []int64{1}})
	spec := specOf(t, wild, cfg)
	ways := []string{"exit", "kill", "segfault", "close", "killed from outside", "unloaded", "load fails"}
	for _, way := range ways { // what is opened once
		cycle(t, b, spec, way)
	}
	before := holdings(t, b, temp, dir)
	began := time.Now()
	for i := range count {
		cycle(t, b, spec, ways[i%len(ways)])
	}
	t.Logf("%d cycles in %v", count, time.Since(began).Round(time.Millisecond))
	untilNoMore(t, before, func() held { return holdings(t, b, temp, dir) })
}

// cycle loads a model, asks it, has it end in a way, and unloads it.
func cycle(t *testing.T, b *python.Backend, spec backend.Spec, way string) {
	t.Helper()
	if way == "load fails" {
		spec.Version = 9
	}
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if (err != nil) != (way == "load fails") {
		t.Fatalf("%s: %v", way, err)
	}
	if err != nil {
		return
	}
	what := text(way)
	what.Name = "WHAT"
	r, err := run(t, in, floats("IN", 100_000, 1), what)
	if dies := slices.Contains([]string{"exit", "kill", "segfault", "close"}, way); (err != nil) != dies {
		t.Errorf("%s: %v", way, err)
	}
	if way == "killed from outside" {
		python.Kill(in)
		<-in.(backend.Mortal).Died()
	}
	if r != nil {
		free(r)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if left := python.Shared(in); left != 0 {
		t.Errorf("%s: %d bytes of shared memory are left", way, left)
	}
}

// held is how much is held, by kind.
type held map[string]int

// atMost reports whether no kind is more than before.
func (h held) atMost(before held) bool {
	for kind, count := range h {
		if count > before[kind] {
			return false
		}
	}
	return true
}

// holdings counts what this process holds, and what its models have started.
func holdings(t *testing.T, b *python.Backend, folders ...string) held {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(string, fs.DirEntry, error) error {
			files++
			return nil
		})
	}
	return held{
		"descriptors": entries(t, "/proc/self/fd"), "segments": strings.Count(string(maps), "memfd:"), "files": files,
		"goroutines": runtime.NumGoroutine(), "processes of models": python.Strays(b),
	}
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// untilNoMore waits until no more is held than before: goroutines that have done their work end a moment later.
func untilNoMore(t *testing.T, before held, now func() held) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for after := now(); !after.atMost(before); after = now() {
		if time.Now().After(deadline) {
			t.Fatalf("before: %v\nafter:  %v", before, after)
		}
		<-time.After(5 * time.Millisecond)
	}
}

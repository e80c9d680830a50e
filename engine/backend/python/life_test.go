//go:build linux

package python_test

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// dies is a model that does what its input says.
const dies = `
import ctypes
import os
import subprocess
import sys
import threading

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        print("now", what, flush=True)
        if what == "exit":
            print("so long", file=sys.stderr)
            os._exit(7)
        if what == "segfault":
            ctypes.string_at(0)
        if what == "loop":
            while True:
                pass
        if what == "child":
            child = subprocess.Popen(["sleep", "1000"])
            print("child", child.pid, flush=True)
        if what == "daemon":
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            print("child", child.pid, flush=True)
        if what == "hidden":
            hide = ["setsid", "--fork", "env", "-i", "sh", "-c", "echo child $$; exec sleep 1000 >&-"]
            subprocess.run(hide, check=True)
        if what == "raise":
            raise ValueError("no such thing")
        if what == "close":
            os.close(3)
            threading.Event().wait()
        if what == "noise":
            for n in range(100000):
                print(n)
            print("x" * 100000)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]
`

// loadDying loads the model dies, whose log is returned.
func loadDying(t *testing.T) (backend.Instance, lines) {
	t.Helper()
	return load(t, specOf(t, dies, flat(tensor.Bytes)))
}

// A process that dies fails its request with the reason, and with what it said last.
func TestDeaths(t *testing.T) {
	for what, want := range map[string]string{
		"exit":     "Stub process 'm_0' is not healthy. Its process ended with exit status 7; its last lines: so long",
		"segfault": "Stub process 'm_0' is not healthy. Its process was ended by signal 11 (segmentation fault); its last lines: Fatal Python error: Segmentation fault",
		"close":    "Stub process 'm_0' is not healthy. Its process closed its connection to the engine and did not end: the engine ended it",
	} {
		in, _ := loadDying(t)
		_, err := run(t, in, text(what))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Fatalf("%s: %v, want %s", what, err, want)
		}
		if strings.Contains(err.Error(), "conch_worker") || strings.Contains(err.Error(), "runpy") {
			t.Errorf("%s: our own code is told of: %v", what, err)
		}
		<-in.(backend.Mortal).Died()
		if _, err := run(t, in, text("more")); !errors.Is(err, errNotBegun) {
			t.Errorf("after %s: %v", what, err)
		}
	}
	in, _ := loadDying(t)
	if _, err := run(t, in, text("raise")); err == nil || !strings.Contains(err.Error(), "Failed to process the request(s) for model 'm_0', message: ValueError: no such thing\n\nAt:\n") {
		t.Errorf("an exception: %v", err)
	}
	if _, err := run(t, in, text("more")); err != nil {
		t.Errorf("after an exception: %v", err)
	}
}

// An execution without end is interrupted, and the error says where it was.
func TestInterrupt(t *testing.T) {
	in, log := loadDying(t)
	done := make(chan error)
	go func() {
		_, err := run(t, in, text("loop"))
		done <- err
	}()
	log.until("now loop")
	in.(backend.Interrupter).Interrupt()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "Its execution was interrupted; its last lines: Stack (most recent call first):") || !strings.Contains(err.Error(), "in execute") {
		t.Errorf("%v", err)
	}
}

// children are what the model dies can start: in its group, in a session of its own, and in one without an environment and
// without a parent that is the model's.
var children = []string{"child", "daemon", "hidden"}

// What a model starts ends with its instance, in whatever way that ends.
func TestChildrenEnd(t *testing.T) {
	for what, end := range map[string]func(backend.Instance){
		"unloaded": func(in backend.Instance) { _ = in.Close() },
		"killed":   python.Kill,
		"crashed":  func(in backend.Instance) { _, _ = run(t, in, text("segfault")) },
	} {
		t.Run(what, func(t *testing.T) {
			in, log := loadDying(t)
			var ends []func()
			for _, what := range children {
				ends = append(ends, ended(t, startChild(t, in, log, what)))
			}
			end(in)
			for _, end := range ends {
				end()
			}
		})
	}
}

// What other instances have started goes on.
func TestChildrenOfOthersGoOn(t *testing.T) {
	b, spec, log := newBackend(t), specOf(t, dies, flat(tensor.Bytes)), make(lines, 1<<10)
	spec.Log = slog.New(log)
	one, other := started(t, b, spec, nil), started(t, b, spec, nil)
	child := startChild(t, other, log, "hidden")
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if err := unix.Kill(child, 0); err != nil {
		t.Errorf("process %d of another instance: %v", child, err)
	}
}

// startChild has the model start a process, and returns its number.
func startChild(t *testing.T, in backend.Instance, log lines, what string) int {
	t.Helper()
	if _, err := run(t, in, text(what)); err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimPrefix(log.until("child "), "child "))
	if err != nil {
		t.Fatal(err)
	}
	return child
}

// ended returns a function that waits for the end of a process.
func ended(t *testing.T, pid int) func() {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer func() { _ = unix.Close(fd) }()
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20_000)
		if n != 1 || err != nil {
			t.Errorf("process %d does not end: %v", pid, err)
		}
	}
}

// What a model prints goes to its log, as long as that can be read by a person.
func TestNoise(t *testing.T) {
	in, log := loadDying(t)
	if _, err := run(t, in, text("noise")); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	close(log)
	count, left := 0, false
	for line := range log {
		if count++; len(line) > 9000 {
			t.Errorf("a line of %d bytes", len(line))
		}
		left = left || strings.HasPrefix(line, "the model prints too much")
	}
	if count > 20_000 || !left {
		t.Errorf("%d lines; lines left out: %v", count, left)
	}
}

// A process ends with the engine, also when that is killed, and with it what the model has started.
func TestKilledEngine(t *testing.T) {
	if os.Getenv("CONCH_TEST_ENGINE") != "" {
		in, log := loadDying(t)
		pids := []int{python.Pid(in), python.KeeperPid(in)}
		for _, what := range children {
			pids = append(pids, startChild(t, in, log, what))
		}
		fmt.Println("processes", pids)
		_, _ = run(t, in, text("loop"))
		return
	}
	engine := exec.Command(os.Args[0], "-test.run=^TestKilledEngine$", "-test.v")
	// What is killed removes no folder of its own: this test does.
	engine.Env = append(os.Environ(), "CONCH_TEST_ENGINE=1", "TMPDIR="+t.TempDir())
	out, err := engine.StdoutPipe()
	if err == nil {
		err = engine.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var pids [5]int
	for said := bufio.NewScanner(out); pids[4] == 0 && said.Scan(); {
		_, _ = fmt.Sscanf(said.Text(), "processes [%d %d %d %d %d]", &pids[0], &pids[1], &pids[2], &pids[3], &pids[4])
	}
	if pids[4] == 0 {
		t.Fatal("the engine has no processes")
	}
	var ends []func()
	for _, pid := range pids {
		ends = append(ends, ended(t, pid))
	}
	if err := engine.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = engine.Wait()
	for _, end := range ends {
		end()
	}
}

// What ends the processes of a killed engine is started again when it was killed itself.
func TestKeeperComesBack(t *testing.T) {
	b, spec := newBackend(t), specOf(t, dies, flat(tensor.Bytes))
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for range 2 {
		in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		pid := python.KeeperPid(in)
		pids = append(pids, pid)
		end := ended(t, pid)
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		end()
	}
	if pids[0] == pids[1] {
		t.Errorf("the processes are %v", pids)
	}
}

// An instance tells the memory of its process.
func TestMemory(t *testing.T) {
	in, _ := loadDying(t)
	if list := in.(backend.MemoryReporter).Memory(); len(list) != 1 || list[0].Bytes < 1<<20 || list[0].Bytes > 1<<30 {
		t.Errorf("memory %v", list)
	}
}

// A process that hangs and reads nothing is ended, though the connection to it is full.
func TestHangingProcessIsClosed(t *testing.T) {
	in, log := loadDying(t)
	go func() { _, _ = run(t, in, text("loop")) }()
	log.until("now loop")
	python.Fill(in)
	python.StopSoon(in)
	<-in.(backend.Mortal).Died()
}

package python_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// faulty is a model that does to its process, and to the machine, what its input says, and then copies the input.
const faulty = `
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        if what != "nothing":
            getattr(self, what)()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def stop(self):
        os.kill(os.getpid(), signal.SIGSTOP)
        threading.Event().wait()

    def allocate(self):
        np.ones(10 << 30, np.uint8)

    def gigabyte(self):
        megabyte = b"x" * 1000 + b"\n" + b"y" * (1 << 20)
        for _ in range(1024):
            os.write(1, megabyte)

    def close_stdout(self):
        sys.stdout.close()
        sys.stderr.close()

    def close_descriptors(self):
        os.close(1)
        os.close(2)

    def fork(self):
        if os.fork() == 0:
            pb_utils.Logger.log_info("from a fork")
            try:
                pb_utils.InferenceRequest(model_name="x", inputs=[], requested_output_names=[]).exec()
            except pb_utils.TritonModelException as error:
                print("a call in a fork:", error, flush=True)

    def fork_that_stays(self):
        if os.fork() == 0:
            threading.Event().wait()

    def fork_that_ends_at_once(self):
        for _ in range(50):
            child = os.fork()
            if child == 0:
                threading.Event().wait()
            os.kill(child, signal.SIGTERM)
            end = time.monotonic() + 10
            while os.waitpid(child, os.WNOHANG)[0] == 0:
                assert time.monotonic() < end, "a process that was asked to end at once goes on"
                time.sleep(0.001)

    def pool(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(abs, range(-100, 0)) == list(range(100, 0, -1))

    def threads(self):
        for _ in range(50):
            threading.Thread(target=threading.Event().wait).start()

    def fill_shared_memory(self):
        with open("/dev/shm/full", "wb") as file:
            file.write(bytes(1 << 30))
`

// loadFaulty loads the model faulty.
func loadFaulty(t *testing.T, change func(*backend.Spec)) backend.Instance {
	t.Helper()
	spec := specOf(t, faulty, flat(tensor.Bytes))
	if change != nil {
		change(&spec)
	}
	m, err := newBackend(t).Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		<-in.(backend.Mortal).Died()
	})
	return in
}

// still wants the model to answer.
func still(t *testing.T, in backend.Instance, after string) {
	t.Helper()
	if r, err := run(t, in, text("nothing")); err != nil {
		t.Errorf("after %s: %v", after, err)
	} else {
		free(r)
	}
}

// What a model may do to its process without an end of it: the process goes on, and answers this request and the next one.
func TestFaultsThatAProcessOutlives(t *testing.T) {
	for _, what := range []string{"gigabyte", "close_stdout", "close_descriptors", "fork", "fork_that_stays", "fork_that_ends_at_once", "pool", "threads"} {
		t.Run(what, func(t *testing.T) {
			in := loadFaulty(t, nil)
			if r, err := run(t, in, text(what)); err != nil {
				t.Errorf("%s: %v", what, err)
			} else {
				free(r)
			}
			still(t, in, what)
			if err := in.Close(); err != nil {
				t.Error(err)
			}
			<-in.(backend.Mortal).Died()
			if err := in.(backend.Mortal).Err(); !strings.Contains(err.Error(), "exit status 0") {
				t.Errorf("after %s it ended so: %v", what, err)
			}
		})
	}
}

// What a model forks has no engine: it can say so, and its calls fail.
func TestForksHaveNoEngine(t *testing.T) {
	log := make(lines, 1<<10)
	in := loadFaulty(t, func(s *backend.Spec) { s.Log = slog.New(log) })
	if _, err := run(t, in, text("fork")); err != nil {
		t.Fatal(err)
	}
	if got, want := log.until("a call in a fork:"), "a call in a fork: 'exec' needs a server, and this process is a fork"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A process that is stopped is a hang: it can be interrupted, which says where it was, and it can be closed.
func TestStoppedProcess(t *testing.T) {
	for _, end := range []func(backend.Instance){
		func(in backend.Instance) { in.(backend.Interrupter).Interrupt() },
		python.StopSoon,
	} {
		log := make(lines, 1<<10)
		in := loadFaulty(t, func(s *backend.Spec) { s.Log = slog.New(log) })
		done := make(chan error)
		go func() {
			_, err := run(t, in, text("stop"))
			done <- err
		}()
		log.until("the model's process was stopped")
		end(in)
		if err := <-done; err == nil || !strings.HasPrefix(err.Error(), "Stub process 'm_0' is not healthy. ") {
			t.Error(err)
		}
	}
}

// A limit of memory makes a large allocation fail, and only that.
func TestMemoryLimit(t *testing.T) {
	limited := func(text string) func(*backend.Spec) {
		return func(s *backend.Spec) {
			s.Config.Parameters = map[string]*modelconfig.ModelParameter{"MEMORY_LIMIT": {StringValue: text}}
		}
	}
	in := loadFaulty(t, limited("1G"))
	_, err := run(t, in, text("allocate"))
	if err == nil || !strings.Contains(err.Error(), "MemoryError: Unable to allocate 10.0 GiB") || !strings.Contains(err.Error(), "MEMORY_LIMIT") {
		t.Errorf("an allocation of 10 GB: %v", err)
	}
	still(t, in, "an allocation that failed")

	spec := specOf(t, faulty, flat(tensor.Bytes))
	limited("much")(&spec)
	if _, err := newBackend(t).Load(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "the parameter MEMORY_LIMIT: 'much' is no size") {
		t.Errorf("a wrong limit: %v", err)
	}
}

// The setting of the command line limits every model that has no limit of its own.
func TestMemoryLimitOfAllModels(t *testing.T) {
	options := python.Options{Interpreter: interpreter(t), Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	options.ReadSettings([]string{"python,memory-limit=1G"})
	b := python.New(options)
	m, err := b.Load(t.Context(), specOf(t, faulty, flat(tensor.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if _, err := run(t, in, text("allocate")); err == nil || !strings.Contains(err.Error(), "MemoryError") {
		t.Errorf("an allocation of 10 GB: %v", err)
	}
}

// smallShared is set in a process whose /dev/shm is small.
const smallShared = "CONCH_TEST_SMALL_SHARED_MEMORY"

// Large tensors need no place in /dev/shm: it is full here.
func TestFullSharedMemory(t *testing.T) {
	if os.Getenv(smallShared) == "" {
		inNamespace(t)
		return
	}
	if err := unix.Mount("conch-test", "/dev/shm", "tmpfs", 0, "size=64m"); err != nil {
		t.Fatal(err)
	}
	full, err := os.Create("/dev/shm/full")
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = full.Write(make([]byte, 1<<20))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	in := loadModel(t, copies, flat(tensor.FP32))
	x := floats("IN", 25_000_000, 1)
	r, err := run(t, in, x)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.Outputs[0].Data, x.Data) {
		t.Error("100 MB came back changed")
	}
	free(r)
	faulty := loadFaulty(t, nil)
	if _, err := run(t, faulty, text("fill_shared_memory")); err == nil || !strings.Contains(err.Error(), "No space left on device") {
		t.Errorf("a model that writes to a full /dev/shm: %v", err)
	}
	still(t, faulty, "an error")
}

// inNamespace runs this test in a process that may mount. It is skipped where there are no user namespaces.
func inNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	cmd.Env = append(os.Environ(), smallShared+"=1", "CONCH_PYTHON="+interpreter(t))
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		t.Errorf("%v\n%s", err, out)
	case err != nil:
		t.Skipf("no user namespace can be made here: %v", err)
	}
}

// method is a model, one method of which goes wrong.
const method = `
import numpy as np
import triton_python_backend_utils as pb_utils

wrong = "%s"


def work(name):
    if name == wrong:
        raise ValueError("in " + name)


work("import")


class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        work("auto_complete_config")
        return config

    def __init__(self):
        work("__init__")

    def initialize(self, args):
        work("initialize")

    def execute(self, requests):
        work("execute")
        if wrong == "too few":
            return []
        if wrong == "too many":
            requests = requests * 2
        if wrong == "a number":
            return [1]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def finalize(self):
        work("finalize")

    def __del__(self):
        work("__del__")
`

// An exception in any method, and answers that do not fit, are told where they matter. Nothing hangs.
func TestWrongMethods(t *testing.T) {
	const failed = "Failed to process the request(s) for model 'm_0', message: "
	for _, c := range []struct{ wrong, complete, load, answer string }{
		{wrong: "import", complete: "ValueError: in import\n\nAt:", load: "ValueError: in import\n\nAt:"},
		{wrong: "auto_complete_config", complete: "ValueError: in auto_complete_config\n\nAt:"},
		{wrong: "__init__", load: "ValueError: in __init__\n\nAt:"},
		{wrong: "initialize", load: "ValueError: in initialize\n\nAt:"},
		{wrong: "execute", answer: failed + "ValueError: in execute\n\nAt:"},
		{wrong: "finalize"},
		{wrong: "__del__"},
		{wrong: "too few", answer: failed + "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) size is:1, and InferenceResponse(s) size is:0"},
		{wrong: "too many", answer: failed + "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) size is:1, and InferenceResponse(s) size is:2"},
		{wrong: "a number", answer: failed + "Expected an 'InferenceResponse' object in the execute function return list, found type '<class 'int'>'."},
	} {
		t.Run(c.wrong, func(t *testing.T) {
			b, spec := newBackend(t), specOf(t, fmt.Sprintf(method, c.wrong), flat(tensor.Bytes))
			_, err := b.Complete(t.Context(), spec)
			begins(t, "auto_complete_config", err, c.complete)
			m, err := b.Load(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
			if begins(t, "the load", err, c.load); err != nil {
				return
			}
			for range 2 {
				r, err := run(t, in, text("x"))
				if begins(t, "a request", err, c.answer); err == nil {
					free(r)
				}
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
			if err := in.(backend.Mortal).Err(); !strings.Contains(err.Error(), "exit status 0") {
				t.Errorf("it ended so: %v", err)
			}
		})
	}
}

// begins wants an error that begins with a text; none for "".
func begins(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

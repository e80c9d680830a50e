package python_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/backend/python/wire"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// spoils is a model that does to the shared memory of its process what its input says, and then copies the input.
const spoils = `
import mmap
import os
import socket
from contextlib import suppress

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        if len(what) < 100:
            getattr(self, what)()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def segments(self):
        for name in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                if "conch-python" in os.readlink("/proc/self/fd/" + name):
                    yield int(name)

    def shrink(self):
        for number in list(self.segments()):
            with suppress(OSError):
                os.ftruncate(number, 0)

    def fill(self):
        for number in list(self.segments()):
            with mmap.mmap(number, os.fstat(number).st_size) as memory:
                memory[:] = bytes([255]) * len(memory)

    def two_descriptors(self):
        with open(__file__) as file:
            socket.send_fds(socket.socket(fileno=os.dup(4)), [bytes(16)], [file.fileno(), file.fileno()])
`

func loadSpoils(t *testing.T) backend.Instance {
	t.Helper()
	in, _ := load(t, specOf(t, spoils, flat(tensor.Bytes)))
	return in
}

// A process cannot take memory away to which the engine writes: that would end the engine.
func TestMemoryThatShrinks(t *testing.T) {
	in := loadSpoils(t)
	for _, what := range []tensor.Tensor{long(1_000_000), text("shrink"), long(1_000_000)} {
		got, err := run(t, in, what)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Outputs[0].Data, what.Data) {
			t.Error("an answer changed")
		}
		free(got)
	}
}

// Texts that were checked stay as they were, whatever the process writes to the memory in which they came: the engine reads their
// lengths again.
func TestTextsThatChangeLater(t *testing.T) {
	in, what := loadSpoils(t), long(1_000_000)
	got, err := run(t, in, what)
	if err != nil {
		t.Fatal(err)
	}
	defer free(got)
	if _, err := run(t, in, text("fill")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Outputs[0].Data, what.Data) {
		t.Error("an answer changed after it was checked")
	}
}

// texts is a model that answers with a text of so many bytes, or asks another model about a large one.
const texts = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(r.inputs()[0].as_numpy()) for r in requests]

    def answer(self, what):
        text = what[0, 0].decode()
        if text.isdigit():
            return self.of("OUT", int(text), pb_utils.InferenceResponse)
        if text == "ask":
            ask = lambda inputs: pb_utils.InferenceRequest(model_name="other", inputs=inputs, requested_output_names=[]).exec()
            answer = self.of("IN", 1 << 20, ask)
            what = np.array([[answer.error().message().encode()]], dtype=object)
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", what)])

    def of(self, name, size, make):
        return make([pb_utils.Tensor(name, np.array([["x" * size]], dtype=object))])
`

// A text in the shared memory of a process is counted before it is copied: the memory may be larger than the machine's. The answer that
// there is no memory for fails alone.
func TestTextsOfAProcessAreCounted(t *testing.T) {
	spec := specOf(t, texts, flat(tensor.Bytes))
	spec.Memory = budget.Of(1 << 20)
	in, _ := load(t, spec)
	in.(backend.Caller).Calls(nobody{})
	for range 2 {
		if _, err := run(t, in, text("1048576")); infer.CodeOf(err) != infer.InvalidArg || !strings.Contains(err.Error(), "Use --request-memory-limit") || spec.Memory.Used() != 0 {
			t.Errorf("too large: %v; %d bytes are counted", err, spec.Memory.Used())
		}
	}
	got, err := run(t, in, text("1000000"))
	if err != nil || spec.Memory.Used() < 1_000_000 {
		t.Fatalf("%v; %d bytes are counted", err, spec.Memory.Used())
	}
	free(got)
	if spec.Memory.Used() != 0 {
		t.Errorf("%d bytes are counted after it was freed", spec.Memory.Used())
	}
	asked, err := run(t, in, text("ask"))
	if err != nil || !strings.Contains(string(asked.Outputs[0].Data), "Use --request-memory-limit") || spec.Memory.Used() != 0 {
		t.Errorf("a call: %v, %v; %d bytes are counted", asked, err, spec.Memory.Used())
	}
	free(asked)
}

// nobody is asked about anything.
type nobody struct{}

func (nobody) Infer(context.Context, *infer.Request, infer.Sink) error {
	return errors.New("it was asked")
}

// Descriptors that the engine does not take are closed.
func TestDescriptorsThatNobodyWants(t *testing.T) {
	spec := specOf(t, spoils, flat(tensor.Bytes))
	in, _ := load(t, spec)
	if _, err := run(t, in, text("two_descriptors")); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, in, long(1_000_000)); err == nil {
		t.Error("two descriptors for one piece of memory are taken")
	}
	<-in.(backend.Mortal).Died()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range open {
		if to, _ := os.Readlink("/proc/self/fd/" + file.Name()); to == spec.File { // "" for one that is closed now
			t.Error("the engine holds a descriptor of the model")
		}
	}
}

// names is a model that copies its input. Two requests it answers in the same segment, and says then that the segment is no more.
const names = `
import gc
import threading
import time

import triton_python_backend_utils as pb_utils
from conch_worker.connection import Connection
from conch_worker.segments import Segments


def of(kind):
    return next(thing for thing in gc.get_objects() if isinstance(thing, kind))


class TritonPythonModel:
    def execute(self, requests):
        if len(requests) == 2:
            segments, connection = of(Segments), of(Connection)
            number = max(segments._ours)
            segments.take = lambda total: (number, segments._ours[number])
            threading.Thread(target=self.drop, args=[segments, connection, number]).start()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def drop(self, segments, connection, number):
        time.sleep(0.05)
        segments.dropped.append(number)
        connection.write(bytearray())
`

// One piece of memory holds one answer. That stays until it is sent, whatever its process says and also when that dies.
func TestTwoAnswersInOnePlace(t *testing.T) {
	in, _ := load(t, specOf(t, names, flat(tensor.FP32)))
	x := floats("IN", 100_000, 1)
	before, err := run(t, in, x)
	if err != nil {
		t.Fatal(err)
	}
	free(before)
	var got [2]*infer.Response
	var failed [2]error
	requests := []*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{x}}, {Batch: 1, Inputs: []tensor.Tensor{x}}}
	in.Execute(t.Context(), backend.NewBatch(requests, func(i int, r *infer.Response) { got[i] = r }, func(i int, err error) { failed[i] = err }))
	if !errors.Is(failed[1], wire.ErrBroken) || got[0] == nil {
		t.Fatalf("answered with %v and %v", got, failed)
	}
	<-in.(backend.Mortal).Died()
	if !bytes.Equal(got[0].Outputs[0].Data, x.Data) {
		t.Error("the first answer has changed")
	}
	free(got[0])
	if left := python.Shared(in); left != 0 {
		t.Errorf("%d bytes of shared memory are left", left)
	}
}

// The process that ends what models have left behind does not run on the Python that one of them brings.
func TestTheKeeperRunsOnNoModelsPython(t *testing.T) {
	spec := specOf(t, dies, flat(tensor.Bytes))
	bin := filepath.Join(spec.ModelDir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexport OF_THE_MODEL=1\nexec %s \"$@\"\n", interpreter(t))
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	in, _ := load(t, spec)
	for what, pid := range map[string]int{"keeper": python.KeeperPid(in), "model": python.Pid(in)} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(text), "OF_THE_MODEL=1"); got != (what == "model") {
			t.Errorf("the %s runs on the model's Python: %v", what, got)
		}
	}
}

// A batch that the process has a part of may be what ends it: it does not run again.
func TestHalfSentToADyingProcess(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	if err := syscall.Kill(python.Pid(in), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var small []tensor.Tensor
	for n := range 1000 {
		small = append(small, floats(fmt.Sprint("X", n), 1000, 0))
	}
	half := give(t.Context(), in, 3, 0, 1, 0, small...)
	<-half.began
	for python.Unread(in) == 0 {
		time.Sleep(time.Millisecond)
	}
	python.Kill(in)
	if <-half.over; half.err == nil || !strings.Contains(half.err.Error(), "is not healthy") {
		t.Errorf("it ended with %v", half.err)
	}
}

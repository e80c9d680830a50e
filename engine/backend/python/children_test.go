//go:build linux

package python_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"conch/engine/tensor"
)

// ends is a model that ends what it has started, by a signal and at the end of a pool.
const ends = `
import multiprocessing
import signal
import subprocess

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        child = subprocess.Popen(["sleep", "1000"])
        child.terminate()
        codes = [child.wait(30)]
        for how in ("fork", "spawn"):
            with multiprocessing.get_context(how).Pool(1) as pool:
                codes += pool.map(abs, [-1, 2])
        out = np.array([codes], np.float32)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", out)]) for _ in requests]
`

// A process ignores the signals that end programs; what its model starts does not.
func TestChildrenCanBeEnded(t *testing.T) {
	in := started(t, newBackend(t), specOf(t, ends, flat(tensor.FP32)), nil)
	r, err := run(t, in, floats("IN", 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer free(r)
	if got, want := r.Outputs[0].Data, append(floats("", 1, -15).Data, append(floats("", 2, 1).Data, floats("", 2, 1).Data...)...); string(got) != string(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// objects is a model whose elements are other objects than bytes.
const objects = `
import numpy as np
import triton_python_backend_utils as pb_utils


class Mute:
    def __str__(self):
        raise ValueError("mute")


class TritonPythonModel:
    def execute(self, requests):
        out = np.empty((1, 5), np.object_)
        out[0] = [7, b"a", "\u00fc", None, 1.5]
        if requests[0].inputs()[0].as_numpy()[0, 0] == b"mute":
            out[0, 1] = Mute()
            return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", out)])]
        if requests[0].inputs()[0].as_numpy()[0, 0] == b"turned":
            return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.zeros(1, ">i4"))])]
        try:
            pb_utils.Tensor("", np.zeros(1, np.float32))
        except pb_utils.TritonModelException as error:
            out[0, 1] = str(error)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", out)]) for _ in requests]
`

// Other objects than bytes are text, as in Triton; numbers in the other order of bytes and empty names are refused.
func TestObjectsAreTexts(t *testing.T) {
	in := started(t, newBackend(t), specOf(t, objects, flat(tensor.Bytes)), nil)
	r, err := run(t, in, text("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer free(r)
	var found []string
	for data := r.Outputs[0].Data; len(data) >= 4; {
		size := int(data[0]) + int(data[1])<<8
		found, data = append(found, string(data[4:4+size])), data[4+size:]
	}
	want := "7|Tensor name cannot be an empty string.|ü|None|1.5"
	if got := strings.Join(found, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	const failed = "Failed to process the request(s) for model 'm_0', message: "
	for what, want := range map[string]string{
		"turned": failed + "TritonModelException: NumPy dtype is not supported.\n\nAt:\n", "mute": failed + "ValueError: mute\n\nAt:\n",
	} {
		_, err := run(t, in, text(what))
		if begins(t, what, err, want); strings.Contains(err.Error(), "conch_worker") {
			t.Errorf("%s: the error tells code of Conch: %v", what, err)
		}
	}
}

// What a model starts leaves no zombie where the engine is the parent of all that has lost its own, as in a container.
func TestOrphansAreReaped(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }()
	in, log := loadDying(t)
	child := startChild(t, in, log, "hidden")
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := unix.Kill(child, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("process %d is left: %v", child, err)
	}
}

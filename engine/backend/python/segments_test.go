//go:build linux

package python_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Large tensors of any kind come back as they were, and requests of one size need no more memory with time.
func TestLargeTensors(t *testing.T) {
	for _, elements := range []int{16 << 10, 16<<10 + 1, 300_000, 3_000_000} {
		in, x := loadModel(t, copies, flat(tensor.FP32)), floats("IN", elements, 1)
		for range 10 {
			r, err := run(t, in, x)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(r.Outputs[0].Data, x.Data) {
				t.Fatalf("%d elements changed", elements)
			}
			free(r)
		}
		if got := python.Shared(in); got > 8*max(len(x.Data), 64<<10) || got == 0 {
			t.Errorf("%d bytes need %d bytes of shared memory", len(x.Data), got)
		}
	}
	in := loadModel(t, copies, flat(tensor.Bytes))
	texts := tensor.Tensor{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1, 3}}
	for _, n := range []int{100_000, 0, 70_000} {
		texts.Data = append(binary.LittleEndian.AppendUint32(texts.Data, uint32(n)), bytes.Repeat([]byte{byte(n)}, n)...)
	}
	r, err := run(t, in, texts)
	if err != nil || !bytes.Equal(r.Outputs[0].Data, texts.Data) {
		t.Fatalf("texts changed: %v", err)
	}
	free(r)
}

// keeps is a model that keeps every input, and answers with the first element of each.
const keeps = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.kept = []

    def execute(self, requests):
        responses = []
        for request in requests:
            self.kept.append(request.inputs()[0].as_numpy()[:, 1:])
            firsts = np.array([[array[0, 0] for array in self.kept]], np.float32)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUT", firsts)]))
        return responses
`

// An array that a model keeps is still the same when other requests have come.
func TestArraysThatAreKept(t *testing.T) {
	in := loadModel(t, keeps, flat(tensor.FP32))
	for n := range 8 {
		r, err := run(t, in, floats("IN", 50_000, float32(1000*n)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n + 1 {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(r.Outputs[0].Data[4*i:])); got != float32(1000*i+1) {
				t.Errorf("array %d begins with %v after %d requests", i, got, n+1)
			}
		}
		free(r)
	}
}

// A response outlives its process.
func TestResponsesOutliveTheProcess(t *testing.T) {
	in, x := loadModel(t, copies, flat(tensor.FP32)), floats("IN", 100_000, 5)
	r, err := run(t, in, x)
	if err != nil {
		t.Fatal(err)
	}
	python.Kill(in)
	<-in.(interface{ Died() <-chan struct{} }).Died()
	if !bytes.Equal(r.Outputs[0].Data, x.Data) {
		t.Error("it changed")
	}
	free(r)
	if left := python.Shared(in); left != 0 {
		t.Errorf("%d bytes of shared memory are left", left)
	}
}

// What was sent ahead for clients that left is memory for the next ones.
func TestMemoryOfThoseWhoLeft(t *testing.T) {
	in := loadModel(t, remembers, flat(tensor.FP32))
	for i := range uint64(20) {
		plug := give(t.Context(), in, 3, 80, 1, 0)
		<-plug.began
		ctx, leave := context.WithCancel(t.Context())
		left := give(ctx, in, 50_000, 0, 2, 0)
		entered(t, in, 2*i+2)
		leave()
		<-left.over
		<-plug.over
	}
	last := give(t.Context(), in, 3, 0, 1, 0)
	if <-last.over; last.err != nil {
		t.Error(last.err)
	}
	if got := python.Taken(in); got != 0 {
		t.Errorf("%d segments are taken", got)
	}
}

// manyTimes is a model that gives its input twenty times.
const manyTimes = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy()) for _ in range(20)]) for r in requests]
`

// Small tensors, however many, lie in no shared memory: neither side would give that back, and after some hundreds of such messages
// none went through any more.
func TestManySmallTensors(t *testing.T) {
	in, small := loadModel(t, manyTimes, flat(tensor.FP32)), floats("IN", 1000, 0)
	requests := make([]*infer.Request, 20)
	for i := range requests {
		requests[i] = &infer.Request{Batch: 1, Inputs: []tensor.Tensor{small}}
	}
	answers := 0
	in.Execute(t.Context(), backend.NewBatch(requests, func(_ int, r *infer.Response) {
		for _, out := range r.Outputs {
			if bytes.Equal(out.Data, small.Data) {
				answers++
			}
		}
		free(r)
	}, func(_ int, err error) { t.Error(err) }))
	if answers != 400 {
		t.Errorf("%d outputs of 400", answers)
	}
	mapped, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", python.Pid(in)))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(mapped), "conch-python"); got > 0 || python.Shared(in) > 0 {
		t.Errorf("the engine has mapped %d bytes, its process %d segments", python.Shared(in), got)
	}
}

// callsLate is a model that calls another one with a large tensor when its execution has ended, which is refused.
const callsLate = `
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        threading.Thread(target=self.later, daemon=True).start()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    def later(self):
        time.sleep(0.2)
        big = pb_utils.Tensor("IN", np.ones([1, 1_000_000], np.int32))
        for _ in range(3):
            response = pb_utils.InferenceRequest(model_name="copy", inputs=[big], requested_output_names=["OUT"]).exec()
            print(response.error().message(), flush=True)
`

// The memory of a call that is refused is there for the next one.
func TestMemoryOfRefusedCalls(t *testing.T) {
	in, log := load(t, specOf(t, callsLate, flat(tensor.Int32)))
	in.(backend.Caller).Calls(counter{})
	r, err := run(t, in, tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	free(r)
	for range 3 {
		log.until("BLS is only supported during the 'execute' function.")
	}
	if got := python.Shared(in); got > 8<<20 {
		t.Errorf("three calls of 4 MB after each other need %d bytes", got)
	}
}

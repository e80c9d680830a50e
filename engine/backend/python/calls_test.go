package python_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// asks another model in every way, and answers with the sum of all that it was told.
const everyWay = `
import asyncio
import threading

import numpy as np
import triton_python_backend_utils as pb_utils


def call(number, name="count"):
    tensor = pb_utils.Tensor("IN", np.array([[number]], np.int32))
    return pb_utils.InferenceRequest(model_name=name, inputs=[tensor], requested_output_names=[])


def value(response):
    if response.has_error():
        raise ValueError(response.error().message())
    return sum(int(tensor.as_numpy()[0, 0]) for tensor in response.output_tensors())


class TritonPythonModel:
    async def execute(self, requests):
        return [await self.answer() for _ in requests]

    async def answer(self):
        total = sum(value(r) for r in await asyncio.gather(*[call(1).async_exec() for _ in range(20)]))
        total += sum(value(r) for r in call(100).exec(decoupled=True))
        for r in await call(40).async_exec(decoupled=True):
            total += value(r)
        sums = []
        threads = [threading.Thread(target=lambda: sums.append(value(call(1).exec()))) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        total += sum(sums)
        big = pb_utils.Tensor("IN", np.ones([1, 100_000], np.int32))
        response = pb_utils.InferenceRequest(model_name="copy", inputs=[big], requested_output_names=["OUT"]).exec()
        total += int(response.output_tensors()[0].as_numpy().sum())
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([[total]], np.int32))])
`

// counter answers a number n with 0, 1, … n-1 in n responses, and copies for the model "copy".
type counter struct{}

func (counter) Infer(_ context.Context, r *infer.Request, sink infer.Sink) error {
	if r.Model == "copy" {
		return sink(&infer.Response{Final: true, Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.Int32, Shape: r.Inputs[0].Shape, Data: r.Inputs[0].Data}}})
	}
	n := int(binary.LittleEndian.Uint32(r.Inputs[0].Data))
	for i := range n {
		data := binary.LittleEndian.AppendUint32(nil, uint32(i))
		if err := sink(&infer.Response{Final: i == n-1, Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: data}}}); err != nil {
			return err
		}
	}
	return nil
}

// Calls from coroutines, threads and iterators run side by side, and a stream waits for the model that reads it.
func TestCalls(t *testing.T) {
	in := loadModel(t, everyWay, flat(tensor.Int32))
	in.(backend.Caller).Calls(counter{})
	for range 3 {
		r, err := run(t, in, tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := binary.LittleEndian.Uint32(r.Outputs[0].Data), uint32(100*99/2+40*39/2+100_000); got != want {
			t.Errorf("it was told %d, want %d", got, want)
		}
		free(r)
	}
}

// everyAnswer answers with the sum of what a decoupled call brings, and 1000 for each error.
const everyAnswer = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer() for _ in requests]

    def answer(self):
        tensor = pb_utils.Tensor("IN", np.zeros([1, 1], np.int32))
        call = pb_utils.InferenceRequest(model_name="halting", inputs=[tensor], requested_output_names=[])
        total = 0
        for response in call.exec(decoupled=True):
            if response.has_error():
                total += 1000 if response.error().message() == "no second" else 5000
            else:
                total += sum(int(tensor.as_numpy()[0, 0]) for tensor in response.output_tensors())
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([[total]], np.int32))])
`

// halting answers with 1, an error, and 3.
type halting struct{}

func (halting) Infer(_ context.Context, r *infer.Request, sink infer.Sink) error {
	for i := range uint32(3) {
		resp := &infer.Response{Final: i == 2, Outputs: []tensor.Tensor{
			{Name: "OUT", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: binary.LittleEndian.AppendUint32(nil, i+1)},
		}}
		if i == 1 {
			resp = &infer.Response{Err: infer.Errorf(infer.Internal, "no second")}
			if !r.KeepsOn {
				return resp.Err
			}
		}
		if err := sink(resp); err != nil {
			return err
		}
	}
	return nil
}

// An error among the answers of a decoupled call does not end it.
func TestCallsGoOnAfterAnError(t *testing.T) {
	in := loadModel(t, everyAnswer, flat(tensor.Int32))
	in.(backend.Caller).Calls(halting{})
	r, err := run(t, in, tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint32(r.Outputs[0].Data); got != 1004 {
		t.Errorf("it was told %d, want 1004: 1, the error and 3", got)
	}
	free(r)
}

// thrice runs each request three times, and counts in a tensor of its own.
const thrice = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.runs = 0

    def execute(self, requests):
        self.runs += 1
        if self.runs < 3:
            for request in requests:
                request.set_release_flags(pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)
            return [None] * len(requests)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([[self.runs]], np.int32))]) for _ in requests]
`

// A request that the model gives back runs again.
func TestReschedule(t *testing.T) {
	in := loadModel(t, thrice, flat(tensor.Int32))
	requests := []*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)}}}}
	again, answered := 0, uint32(0)
	batch := backend.NewBatch(requests, func(_ int, r *infer.Response) { answered = binary.LittleEndian.Uint32(r.Outputs[0].Data) }, func(_ int, err error) { t.Error(err) })
	batch.OnReschedule(func(int, *infer.Response) { again++ })
	for range 3 {
		in.Execute(t.Context(), batch)
	}
	if again != 2 || answered != 3 {
		t.Errorf("given back %d times, answered in run %d", again, answered)
	}
}

// callsBehind answers each request in a thread, with what a model says that the thread calls. All of them call it before execute returns.
const callsBehind = `
import threading

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self.answer, args=(request.inputs(), request.get_response_sender())).start()
        self.call("all are here", request.inputs())

    def answer(self, inputs, sender):
        sender.send(self.call("copy", inputs), flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    def call(self, name, inputs):
        return pb_utils.InferenceRequest(model_name=name, inputs=inputs, requested_output_names=[]).exec()
`

// waitingCalls holds calls of "copy" until release. A call of "all are here" waits for two of them.
type waitingCalls struct{ here, release chan struct{} }

var errLeft = errors.New("the call was cancelled")

func (h waitingCalls) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	if r.Model == "all are here" {
		<-h.here
		<-h.here
	} else {
		h.here <- struct{}{}
		<-h.release
	}
	if ctx.Err() != nil {
		return errLeft
	}
	r.Model = "copy"
	return counter{}.Infer(ctx, r, sink)
}

// A call that a thread of a decoupled model makes goes on when execute has returned, also where the scheduler had joined several
// requests: the context of their batch ends then.
func TestCallsOutliveTheBatch(t *testing.T) {
	cfg := flat(tensor.Int32)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, calls := loadModel(t, callsBehind, cfg), waitingCalls{make(chan struct{}), make(chan struct{})}
	in.(backend.Caller).Calls(calls)
	one := tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)}
	requests := []*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{one}}, {Batch: 1, Inputs: []tensor.Tensor{one}}}
	batch := backend.NewBatch(requests, func(int, *infer.Response) {}, func(_ int, err error) { t.Error(err) })
	counts, ended := make([]int, 2), make(chan error, 2)
	batch.OnLater(func(i int) backend.Responder { return &taking{ctx: t.Context(), ended: ended, count: &counts[i]} })
	ctx, end := context.WithCancel(t.Context())
	in.Execute(ctx, batch)
	end()
	close(calls.release)
	for range requests {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if counts[0] != 1 || counts[1] != 1 {
		t.Errorf("answers with outputs: %v", counts)
	}
}

// endlessCalls holds each call until it is ended.
type endlessCalls struct{ begun, ended chan struct{} }

func (h endlessCalls) Infer(ctx context.Context, _ *infer.Request, _ infer.Sink) error {
	h.begun <- struct{}{}
	<-ctx.Done()
	h.ended <- struct{}{}
	return errLeft
}

// The calls of a process end with it, also those that do not end with their batch: nobody takes their answers any more.
func TestCallsEndWithTheProcess(t *testing.T) {
	cfg := flat(tensor.Int32)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, calls := loadModel(t, callsBehind, cfg), endlessCalls{make(chan struct{}), make(chan struct{})}
	in.(backend.Caller).Calls(calls)
	one := tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)}
	requests := []*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{one}}, {Batch: 1, Inputs: []tensor.Tensor{one}}}
	batch := backend.NewBatch(requests, func(int, *infer.Response) {}, func(int, error) {})
	count := 0
	batch.OnLater(func(int) backend.Responder {
		return &taking{ctx: t.Context(), ended: make(chan error, 1), count: &count}
	})
	executed := make(chan struct{})
	go func() {
		in.Execute(t.Context(), batch)
		close(executed)
	}()
	for range 3 {
		<-calls.begun
	}
	process, err := os.FindProcess(python.Pid(in))
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		select {
		case <-calls.ended:
		case <-time.After(10 * time.Second):
			t.Fatal("a call goes on")
		}
	}
	<-executed
}

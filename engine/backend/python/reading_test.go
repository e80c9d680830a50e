package python_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/metrics/own"
	"conch/engine/tensor"
)

// acts does what its input says: 1 waits until its client has left, 2 writes to the log when it has answered, 3 ends the process.
// 4 counts 2,000 times when it has answered.
const acts = `
import os
import threading
import time

import triton_python_backend_utils as pb_utils


def speak():
    time.sleep(0.05)
    pb_utils.Logger.log_info("nobody waits for this")


def count(metric):
    time.sleep(0.05)
    for _ in range(2000):
        metric.increment(1)
    pb_utils.Logger.log_info("has counted %d" % metric.value())


class TritonPythonModel:
    def initialize(self, args):
        family = pb_utils.MetricFamily(name="counted", description="counted", kind=pb_utils.MetricFamily.COUNTER)
        self.metric = family.Metric(labels={})
        self.family = family

    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0]
        if what == 1:
            while not requests[0].is_cancelled():
                time.sleep(0.001)
        elif what == 2:
            threading.Thread(target=speak).start()
        elif what == 3:
            os._exit(3)
        elif what == 4:
            threading.Thread(target=count, args=(self.metric,)).start()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]
`

// Where executions follow each other, they read what the process says, and its reader does not. It must be heard nevertheless.
func TestReaderComesBack(t *testing.T) {
	for _, c := range []struct {
		name string
		what float32
		end  func(t *testing.T, a *ahead, cancel context.CancelFunc, log lines)
	}{
		{"for the client of a long execution that leaves", 1, func(t *testing.T, a *ahead, cancel context.CancelFunc, _ lines) {
			<-a.began
			time.Sleep(time.Millisecond) // it reads by then, or does not: both must do
			cancel()
			<-a.over
		}},
		{"for a line of the log between executions", 2, func(t *testing.T, a *ahead, _ context.CancelFunc, log lines) {
			<-a.over
			if log.until("nobody waits for this") == "" || a.err != nil {
				t.Error(a.err)
			}
		}},
		{"for thousands of messages at once", 4, func(t *testing.T, _ *ahead, _ context.CancelFunc, log lines) {
			began := time.Now()
			if log.until("has counted 2000") == "" || time.Since(began) > 8*time.Second { // 10 s, if one is read every 5 ms
				t.Errorf("after %v", time.Since(began))
			}
		}},
		{"for the end of the process", 3, func(t *testing.T, a *ahead, _ context.CancelFunc, _ lines) {
			<-a.over
			if a.err == nil || !strings.Contains(a.err.Error(), "exit status 3") {
				t.Error(a.err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := specOf(t, acts, flat(tensor.FP32))
			spec.Metrics = new(own.Registry)
			in, log := load(t, spec)
			for range 20 {
				if quick := give(t.Context(), in, 3, 0, 0, 0); !over(t, quick) || quick.err != nil {
					t.Fatal(quick.err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.end(t, give(ctx, in, 3, c.what, 0, 0), cancel, log)
		})
	}
}

func over(t *testing.T, a *ahead) bool {
	select {
	case <-a.over:
		return true
	case <-time.After(30 * time.Second):
		t.Error("it has no answer")
		return false
	}
}

// later answers by its response sender, shortly after execute has returned.
const later = `
import threading
import time

import triton_python_backend_utils as pb_utils


def answer(request, sender):
    time.sleep(0.0002)
    response = pb_utils.InferenceResponse([pb_utils.Tensor("OUT", request.inputs()[0].as_numpy())])
    sender.send(response, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            threading.Thread(target=answer, args=(request, request.get_response_sender())).start()
        return [None] * len(requests)
`

// What comes behind the end of an execution is read at once, where something is expected.
func TestLaterAnswersAreReadAtOnce(t *testing.T) {
	in := loadModel(t, later, flat(tensor.FP32))
	quick := 0
	for range 100 {
		answered, count := make(chan error, 1), 0
		batch := backend.NewBatch([]*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{floats("IN", 3, 0)}}}, func(_ int, r *infer.Response) {
			answered <- errors.New("it was answered with the execution")
			free(r)
		}, func(_ int, err error) { answered <- err })
		batch.OnLater(func(int) backend.Responder { return &taking{ctx: t.Context(), ended: answered, count: &count} })
		began := time.Now()
		in.Execute(t.Context(), batch)
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		if time.Since(began) < python.Lull {
			quick++
		}
	}
	if quick == 0 { // each waited for the reader to come back
		t.Error("none of 100 answers came at once")
	}
}

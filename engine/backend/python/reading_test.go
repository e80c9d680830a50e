package python_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"conch/engine/tensor"
)

// acts does what its input says: 1 waits until its client has left, 2 writes to the log when it has answered, 3 ends the process.
const acts = `
import os
import threading
import time

import triton_python_backend_utils as pb_utils


def speak():
    time.sleep(0.05)
    pb_utils.Logger.log_info("nobody waits for this")


class TritonPythonModel:
    def execute(self, requests):
        what = requests[0].inputs()[0].as_numpy()[0, 0]
        if what == 1:
            while not requests[0].is_cancelled():
                time.sleep(0.001)
        elif what == 2:
            threading.Thread(target=speak).start()
        elif what == 3:
            os._exit(3)
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
		{"for the end of the process", 3, func(t *testing.T, a *ahead, _ context.CancelFunc, _ lines) {
			<-a.over
			if a.err == nil || !strings.Contains(a.err.Error(), "exit status 3") {
				t.Error(a.err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, log := load(t, specOf(t, acts, flat(tensor.FP32)))
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

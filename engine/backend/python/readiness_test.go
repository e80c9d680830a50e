package python_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/tensor"
)

// probed is a model whose is_ready does what the last request said.
const probed = `
import asyncio
import os
import threading

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.do, self.go, self.asked = "yes", threading.Event(), 0

    def execute(self, requests):
        self.do = requests[0].inputs()[0].as_numpy()[0, 0].decode()
        if self.do == "go":
            self.go.set()
        if self.do == "long":
            print("executes", flush=True)
            self.go.wait()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]

    async def slowly(self):
        await asyncio.sleep(0)
        return True

    def is_ready(self):
        self.asked += 1
        if self.do == "raise":
            raise ValueError("no weights")
        if self.do == "coroutine":
            return self.slowly()
        if self.do == "hang":
            print("hangs", flush=True)
            self.go.wait()
        if self.do == "number":
            return 1
        if self.do == "exit":
            os._exit(3)
        if self.do == "call":
            r = pb_utils.InferenceRequest(model_name="other", inputs=[], requested_output_names=[]).exec()
            raise ValueError(r.error().message())
        if self.do == "long":
            self.go.set()
        return self.do != "no"
`

func loadProbed(t *testing.T) (backend.Instance, backend.Prober, lines) {
	t.Helper()
	in, log := load(t, specOf(t, probed, flat(tensor.Bytes)))
	return in, in.(backend.Prober), log
}

// What is_ready returns or raises decides whether the model is ready; the reason of a change is in its log.
func TestIsReady(t *testing.T) {
	in, p, log := loadProbed(t)
	for _, c := range [][2]string{
		{"yes", ""},
		{"no", "Model 'm_0' is not ready (user-defined check failed)."},
		{"coroutine", ""},
		{"raise", "ValueError: no weights\n\nAt:\n"},
		{"number", "is_ready() must return a boolean value"},
		{"call", "ValueError: BLS is only supported during the 'execute' function."},
		{"yes", ""},
	} {
		if _, err := run(t, in, text(c[0])); err != nil {
			t.Fatal(err)
		}
		err := p.Ready(t.Context())
		if (err == nil) != (c[1] == "") || err != nil && !strings.HasPrefix(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
	log.until("the model is not ready: Model 'm_0' is not ready")
	log.until("is_ready says that the model is ready again")
	log.until("the model is not ready: ValueError: no weights")
}

// The answer comes while a request executes.
func TestIsReadyWhileItExecutes(t *testing.T) {
	in, p, log := loadProbed(t)
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := run(t, in, text("long")); err != nil {
			t.Error(err)
		}
	})
	log.until("executes")
	if err := p.Ready(t.Context()); err != nil { // which ends the request
		t.Error(err)
	}
	wait.Wait()
}

// A function that hangs keeps nobody longer than it waits, is not called again meanwhile, and does not keep requests back.
func TestIsReadyThatHangs(t *testing.T) {
	in, p, log := loadProbed(t)
	if _, err := run(t, in, text("hang")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan error)
	for range 3 {
		go func() { answers <- p.Ready(ctx) }()
	}
	log.until("hangs")
	cancel()
	for range 3 {
		if err := <-answers; err == nil || err.Error() != "Timed out waiting for user-defined is_ready() response" {
			t.Errorf("a question that was given up: %v", err)
		}
	}
	go func() { answers <- p.Ready(t.Context()) }()
	if _, err := run(t, in, text("go")); err != nil {
		t.Fatal(err)
	}
	if err := <-answers; err != nil {
		t.Errorf("after its end: %v", err)
	}
}

// A process that dies in is_ready is not ready, and says why.
func TestIsReadyThatDies(t *testing.T) {
	in, p, _ := loadProbed(t)
	if _, err := run(t, in, text("exit")); err != nil {
		t.Fatal(err)
	}
	const want = "Stub process 'm_0' is not healthy. Its process ended with exit status 3"
	if err := p.Ready(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

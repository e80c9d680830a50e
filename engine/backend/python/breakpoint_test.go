package python_test

import (
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/python/debugtest"
	"conch/engine/tensor"
)

// stopping is a model that stops at a breakpoint.
const stopping = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        given = pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", given)])
`

// Frames of Conch are neither shown nor stepped into: a step out of the program's last frame ends the request.
func TestStepsStayInTheProgram(t *testing.T) {
	spec := specOf(t, stopping, flat(tensor.Bytes))
	in, _ := load(t, spec)
	address, err := in.(backend.Debuggable).Debug(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(stopping, "given = ")
	e := debugtest.Attach(t, address, spec.File, strings.Count(before, "\n")+1)
	ended := make(chan error, 1)
	go func() {
		_, err := run(t, in, text("x"))
		ended <- err
	}()
	e.Event("stopped")
	shown := func() []debugtest.Frame {
		frames := e.Frames(1)
		for _, f := range frames {
			if f.Source.Path != spec.File {
				t.Fatalf("it stopped with %+v", frames)
			}
		}
		return frames
	}
	thread := map[string]any{"threadId": 1}
	shown()
	e.Ask("stepIn", thread) // the line calls a function of triton_python_backend_utils
	e.Event("stopped")
	for len(shown()) > 1 {
		e.Ask("stepOut", thread)
		e.Event("stopped")
	}
	e.Ask("stepOut", thread)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A request that is interrupted at a breakpoint ends by KeyboardInterrupt, and the next ones stop there again.
func TestBreakpointAfterAnInterruption(t *testing.T) {
	spec := specOf(t, stopping, flat(tensor.Bytes))
	in, _ := load(t, spec)
	address, err := in.(backend.Debuggable).Debug(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(stopping, "given = ")
	e := debugtest.Attach(t, address, spec.File, strings.Count(before, "\n")+1)
	ended := make(chan error)
	ask := func() {
		_, err := run(t, in, text("x"))
		ended <- err
	}
	for range 3 {
		go ask()
		e.Event("stopped")
		if how, err := in.(backend.Inspectable).Break(t.Context()); err != nil || how != "Its execution ended by KeyboardInterrupt." {
			t.Fatalf("interrupted: %q, %v", how, err)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "KeyboardInterrupt: the request was interrupted") {
			t.Fatalf("the request: %v", err)
		}
	}
	go ask()
	e.Event("stopped")
	e.Ask("continue", map[string]any{"threadId": 1})
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

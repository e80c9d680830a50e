package infer_test

import (
	"errors"
	"testing"
	"time"

	"conch/engine/infer"
	"conch/engine/tensor"
)

func TestTraceIsBounded(t *testing.T) {
	trace := &infer.Trace{Tensors: true}
	large := []tensor.Tensor{{Name: "X", Data: make([]byte, 40<<20)}}
	trace.Begin("e", 1, &infer.Request{Received: time.Now(), Inputs: large})
	step := trace.Child(0)
	step.Begin("m", 1, &infer.Request{Received: time.Now(), Inputs: large})
	step.Answered(&infer.Response{Final: true, Outputs: large})
	if a, b, c := trace.Inputs[0], step.Inputs[0], step.Responses[0].Outputs[0]; len(a.Data) != 40<<20 || len(b.Data) != 24<<20 || len(c.Data) != 0 || c.Bytes != 40<<20 {
		t.Errorf("kept %d, %d and %d bytes", len(a.Data), len(b.Data), len(c.Data))
	}
	for range 20_000 {
		trace.Child(0)
		trace.Ran(infer.Execution{})
		trace.Answered(&infer.Response{})
	}
	if len(trace.Steps) != 10_000 || len(trace.Executions) != 10_000 || len(trace.Responses) != 10_000 {
		t.Errorf("kept %d steps, %d executions, %d responses", len(trace.Steps), len(trace.Executions), len(trace.Responses))
	}
	trace.End(nil)
	trace.Ran(infer.Execution{})
	if trace.Child(0) != nil || (*infer.Trace)(nil).Child(0) != nil {
		t.Error("a trace that is over, or none, has children")
	}
}

// away is an input on a GPU.
type away string

func (away) GPU() int         { return 0 }
func (away) Address() uintptr { return 0 }
func (a away) Size() int      { return len(a) }

func (a away) Read(to []byte) error {
	if a == "gone" {
		return errors.New("it is gone")
	}
	copy(to, a)
	return nil
}

// A trace with tensors has those on a GPU, too.
func TestTraceOfInputsOnAGPU(t *testing.T) {
	trace := &infer.Trace{Tensors: true}
	r := &infer.Request{
		Received: time.Now(), Inputs: []tensor.Tensor{{Name: "A"}, {Name: "B", Data: []byte("here")}, {Name: "C"}},
		Away: map[string]infer.Away{"A": away("there"), "C": away("gone")},
	}
	trace.Begin("m", 1, r)
	if a, b, c := trace.Inputs[0], trace.Inputs[1], trace.Inputs[2]; string(a.Data) != "there" || string(b.Data) != "here" || len(c.Data) != 0 || r.Inputs[0].Data != nil {
		t.Errorf("%q, %q, %q", a.Data, b.Data, c.Data)
	}
	if r.ByteSize(&r.Inputs[0]) != 5 || r.ByteSize(&r.Inputs[1]) != 4 {
		t.Errorf("%d and %d bytes", r.ByteSize(&r.Inputs[0]), r.ByteSize(&r.Inputs[1]))
	}
}

// Steps are in the order in which they began. Steps that began together are in the config's order.
func TestStepsOfATraceAreInOrder(t *testing.T) {
	trace, began := &infer.Trace{}, time.Now()
	for i, after := range []time.Duration{2, 0, 1, 0} {
		trace.Child(3-i).Begin("m", 1, &infer.Request{Received: began.Add(after)})
	}
	trace.End(nil)
	got := ""
	for _, s := range trace.Steps {
		got += string(rune('0' + s.Step))
	}
	if got != "0213" {
		t.Errorf("steps = %s, want 0213", got)
	}
}

package python_test

import (
	"bytes"
	"os/exec"
	"reflect"
	"testing"

	"conch/engine/backend/python/wire"
	"conch/engine/tensor"
)

// echo reads the payload of Execute, and writes the frames of a Call and of an Executed with the same content.
const echo = `
import sys

from conch_worker import wire
from conch_worker.host import Answer, Call

requests = wire.Reader(bytearray(sys.stdin.buffer.read())).requests()
r = requests[0]
call = wire.Writer(wire.CALL, 7)
call.call(
    Call("other", r.inputs, r.outputs, 3, r.request_id, r.correlation_id, r.flags, r.timeout, r.priority, r.parameters, True, r.handle)
)
sys.stdout.buffer.write(call.done())
answer = wire.Writer(wire.EXECUTED, 9)
answer.answer(Answer(r.inputs, None, 1, r.parameters))
answer.answer(Answer([], "äh", 5, ""))
sys.stdout.buffer.write(answer.done())
`

// Both halves write and read the same bytes.
func TestWire(t *testing.T) {
	q := wire.Request{
		Handle: 1 << 40, Timeout: 5, Priority: 6, Flags: wire.SequenceStart | wire.SequenceEnd, ID: "id ü", Name: "sequence",
		Parameters: `{"a":1}`, Outputs: []string{"OUT", "größe"},
		Inputs: []tensor.Tensor{
			floats("IN", 3, 1), text("what"), {Name: "none", Type: tensor.Int64, Shape: tensor.Shape{0, 4}, Data: []byte{}},
			{Name: "scalar", Type: tensor.BF16, Shape: tensor.Shape{}, Data: []byte{1, 2}}, {Name: "b", Type: tensor.Bool, Shape: tensor.Shape{1}, Data: []byte{1}},
		},
	}
	frame := wire.AppendRequest(wire.AppendRequests(wire.Begin(nil, wire.Execute, 1), 1), &q, wire.Inline{})
	python := exec.Command(interpreter(t), "-c", echo)
	python.Env = append(python.Environ(), "PYTHONPATH=lib")
	python.Stdin = bytes.NewReader(frame[wire.HeaderSize:])
	out, err := python.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	h := wire.ReadHeader(out)
	r := wire.NewReader(out[wire.HeaderSize:][:h.Length], nil)
	asked := r.Invocation()
	if parent := asked.Parent; h.Kind != wire.Call || h.ID != 7 || parent != q.Handle || asked.Version != 3 || !asked.Decoupled || asked.Model != "other" || r.Err() != nil {
		t.Errorf("the call is %+v %+v, %v", h, asked, r.Err())
	}
	if q.Handle = 0; !reflect.DeepEqual(asked.Request, q) {
		t.Errorf("the call's request is %+v, want %+v", asked.Request, q)
	}
	out = out[wire.HeaderSize+h.Length:]
	want := wire.AppendReply(wire.Begin(nil, wire.Executed, 9), &wire.Reply{Code: 1, Parameters: q.Parameters, Outputs: q.Inputs}, wire.Inline{})
	want = wire.Finish(wire.AppendReply(want, &wire.Reply{Failed: true, Code: 5, Error: "äh"}, wire.Inline{}))
	if !bytes.Equal(out, want) {
		t.Errorf("the answers are %q, want %q", out, want)
	}
}

// A damaged payload is noticed, whatever is wrong with it.
func FuzzReader(f *testing.F) {
	whole := wire.AppendReply(nil, &wire.Reply{Code: 1, Parameters: "{}", Outputs: []tensor.Tensor{floats("OUT", 2, 0)}}, wire.Inline{})
	for n := range whole {
		f.Add(whole[:n])
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := wire.NewReader(payload, nil)
		reply := r.Reply()
		if len(payload) < len(whole) && bytes.Equal(payload, whole[:len(payload)]) && r.Err() == nil {
			t.Errorf("%d of %d bytes give %+v", len(payload), len(whole), reply)
		}
		wire.NewReader(payload, nil).Invocation()
	})
}

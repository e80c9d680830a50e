package python_test

import (
	"bytes"
	"errors"
	"os/exec"
	"reflect"
	"slices"
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

// pieces are the segments 1 to 3, of 64 bytes each.
type pieces struct {
	t     *testing.T
	taken map[uint32]bool
}

func (p pieces) Take(number uint32) ([]byte, bool) {
	if number < 1 || number > 3 || p.taken[number] {
		return nil, false
	}
	p.taken[number] = true
	return make([]byte, 64), true
}

// Count has memory for 40 bytes at a time.
func (p pieces) Count(number uint32, bytes uint64) error {
	if !p.taken[number] {
		p.t.Errorf("%d bytes of the segment %d are counted, which is not taken", bytes, number)
	}
	if bytes > 40 {
		return errNoRoom
	}
	return nil
}

var errNoRoom = errors.New("no room")

func (p pieces) Release(number uint32) {
	if !p.taken[number] {
		p.t.Errorf("the segment %d is given back, and was not taken", number)
	}
	delete(p.taken, number)
}

// has holds what is in use against the segments of what was read.
func (p pieces) has(want ...uint32) {
	p.t.Helper()
	for _, number := range want {
		if number != 0 && !p.taken[number] {
			p.t.Errorf("the segment %d is another's", number)
		}
		delete(p.taken, number)
	}
	if len(p.taken) > 0 {
		p.t.Errorf("the segments %v stay in use", p.taken)
	}
}

// in places tensors in a segment, all from its beginning.
type in uint32

func (n in) Place([]byte) (segment uint32, offset uint64) { return uint32(n), 0 }

// turns places tensors in the segments 1 and 2 by turns.
type turns struct{ n uint32 }

func (p *turns) Place([]byte) (segment uint32, offset uint64) {
	p.n++
	return 1 + p.n%2, 0
}

// What was read has one segment, which nothing else has; what is damaged has none.
func TestSegmentsOfWhatWasRead(t *testing.T) {
	out := wire.Reply{Outputs: []tensor.Tensor{floats("A", 2, 0), floats("B", 2, 0)}}
	one, two, both := wire.AppendReply(nil, &out, in(1)), wire.AppendReply(nil, &out, in(2)), wire.AppendReply(nil, &out, &turns{})
	large := wire.AppendReply(nil, &wire.Reply{Outputs: []tensor.Tensor{floats("A", 17, 0)}}, in(1))
	for name, c := range map[string]struct {
		payload []byte
		want    [2]uint32
		err     error
	}{
		"a segment each":       {slices.Concat(one, two), [2]uint32{1, 2}, nil},
		"one segment for both": {slices.Concat(one, one), [2]uint32{1, 0}, wire.ErrBroken},
		"two in one answer":    {slices.Concat(both, both), [2]uint32{}, wire.ErrBroken},
		"an unknown one":       {slices.Concat(two, wire.AppendReply(nil, &out, in(4))), [2]uint32{2, 0}, wire.ErrBroken},
		"more than it has":     {large, [2]uint32{}, wire.ErrBroken},
		"a cut answer":         {slices.Concat(one, two[:len(two)-20]), [2]uint32{1, 0}, wire.ErrBroken},
	} {
		t.Run(name, func(t *testing.T) {
			space := pieces{t, map[uint32]bool{}}
			r := wire.NewReader(c.payload, space)
			if got := [2]uint32{r.Reply().Segment, r.Reply().Segment}; got != c.want || !errors.Is(r.Err(), c.err) {
				t.Errorf("the answers have the segments %v, %v", got, r.Err())
			}
			space.has(c.want[:]...)
		})
	}
}

// Texts in shared memory are counted before they are copied. Those that there is no memory for are refused, and nothing else with them.
func TestTextsAreCountedBeforeTheyAreCopied(t *testing.T) {
	large := tensor.Tensor{Name: "A", Type: tensor.Bytes, Shape: tensor.Shape{1}, Data: make([]byte, 60)}
	small := tensor.Tensor{Name: "A", Type: tensor.Bytes, Shape: tensor.Shape{1}, Data: make([]byte, 20)}
	space := pieces{t, map[uint32]bool{}}
	r := wire.NewReader(slices.Concat(
		wire.AppendReply(nil, &wire.Reply{Outputs: []tensor.Tensor{small, large, small}}, in(1)),
		wire.AppendReply(nil, &wire.Reply{Outputs: []tensor.Tensor{small}}, in(2)),
	), space)
	if got := r.Reply(); !errors.Is(got.Refused, errNoRoom) || len(got.Outputs) > 0 || got.Segment != 0 {
		t.Errorf("of too many bytes: %+v", got)
	}
	if got := r.Reply(); got.Refused != nil || len(got.Outputs) != 1 || got.Segment != 2 || r.Err() != nil {
		t.Errorf("the answer behind it: %+v, %v", got, r.Err())
	}
	space.has(2)
}

// A damaged payload is noticed, whatever is wrong with it, and keeps no segment.
func FuzzReader(f *testing.F) {
	reply := &wire.Reply{Code: 1, Parameters: "{}", Outputs: []tensor.Tensor{floats("OUT", 2, 0), text("what")}}
	whole := wire.AppendReply(nil, reply, wire.Inline{})
	shared := wire.AppendReply(wire.AppendReply(nil, reply, in(1)), reply, in(2))
	for n := range whole {
		f.Add(whole[:n])
	}
	for n := range shared {
		f.Add(shared[:n+1])
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		space := pieces{t, map[uint32]bool{}}
		r := wire.NewReader(payload, space)
		reply := r.Reply()
		if len(payload) < len(whole) && bytes.Equal(payload, whole[:len(payload)]) && r.Err() == nil {
			t.Errorf("%d of %d bytes give %+v", len(payload), len(whole), reply)
		}
		space.has(reply.Segment, r.Reply().Segment)
		space.has(wire.NewReader(payload, space).Invocation().Segment)
	})
}

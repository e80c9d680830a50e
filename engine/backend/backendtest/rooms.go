package backendtest

import (
	"bytes"
	"testing"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// testRooms: an output is in the answer, whether it was made in the memory that its request has for it or not. What is not made there
// leaves no trace there, nor beside it, and an output of several requests is in the memory of none.
func testRooms(t *testing.T, s Subject) {
	shape := Shape{Type: tensor.FP32, Dims: []int64{64}, MaxBatch: 8}
	l := load(t, s, s.Identity(t, shape))
	one := func(seed byte, missing int) (*infer.Request, []byte) {
		r := request("IN", tensor.FP32, tensor.Shape{1, 64}, seed)
		room := aligned(len(r.Inputs[0].Data) + 8)
		r.Rooms = map[string][]byte{"OUT": room[:len(r.Inputs[0].Data)-missing], "NO OUTPUT": room}
		return r, room
	}
	for seed, missing := range []int{0, 4, 0} {
		r, room := one(byte(seed+1), missing)
		a := execute(t.Context(), t, l.Instance, r)[0]
		wantCopy(t, a, "OUT", r.Inputs[0])
		used := len(bytes.TrimRight(room, "\x00"))
		switch size := len(r.Inputs[0].Data); {
		case missing > 0 && used > 0:
			t.Error("something was written to memory that is too small")
		case used > size:
			t.Error("something was written beside the memory of a request")
		}
	}
	first, room := one(7, 0)
	second, other := one(8, 0)
	for i, a := range execute(t.Context(), t, l.Instance, first, second) {
		wantCopy(t, a, "OUT", []*infer.Request{first, second}[i].Inputs[0])
	}
	if len(bytes.Trim(room, "\x00"))+len(bytes.Trim(other, "\x00")) > 0 {
		t.Error("the output of a batch was written to the memory of its requests")
	}
}

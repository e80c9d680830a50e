package grpcapi

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/engine/infer"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// An answer is encoded as the protobuf package encodes it. One that it refuses, or whose parameters have no order, is left to it.
func TestPlainAnswers(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 100_000)
	for name, c := range map[string]struct {
		id string
		r  infer.Response
		ok bool
	}{
		"nothing": {"", infer.Response{}, true},
		"two outputs": {"7", infer.Response{Model: "m", Version: 12, Outputs: []tensor.Tensor{
			{Name: "OUT0", Type: tensor.Int32, Shape: tensor.Shape{1, 300}, Data: large},
			{Name: "OUT1", Type: tensor.Bytes, Shape: tensor.Shape{0, 1 << 40}},
		}}, true},
		"a scalar":         {"é", infer.Response{Model: "m", Version: -1, Outputs: []tensor.Tensor{{Type: tensor.FP32, Data: []byte("abcd")}}}, true},
		"parameters":       {"", infer.Response{Model: "m", Parameters: map[string]any{"p": true}}, false},
		"an ID not UTF-8":  {"\xff", infer.Response{Model: "m"}, false},
		"a name not UTF-8": {"", infer.Response{Model: "m\xff"}, false},
		"an output not so": {"", infer.Response{Outputs: []tensor.Tensor{{Name: "\xff"}}}, false},
	} {
		f := &inference{Assembler: request.Assembler{Request: infer.Request{ID: c.id}}}
		p, ok := f.plainly(&c.r)
		if ok != c.ok {
			t.Errorf("%s: encoded without the protobuf package: %v", name, ok)
		}
		if !ok {
			continue
		}
		want, err := proto.Marshal(f.response(&c.r))
		if got := p.appendTo(nil); !bytes.Equal(got, want) || p.size() != len(want) || err != nil {
			t.Errorf("%s: %.200q of %d bytes, want %.200q of %d, %v", name, got, p.size(), want, len(want), err)
		}
	}
}

package backend_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// ragged is a layout with a ragged input that an output is scattered by.
func ragged(outDims ...int64) *backend.Layout {
	return backend.LayoutOf(&modelconfig.ModelConfig{
		MaxBatchSize: 8,
		Input:        []*modelconfig.ModelInput{{Name: "IN", AllowRaggedBatch: true, Dims: []int64{-1}}},
		Output:       []*modelconfig.ModelOutput{{Name: "OUT", Dims: outDims}},
		BatchInput: []*modelconfig.BatchInput{{
			Kind: modelconfig.BatchInput_BATCH_ITEM_SHAPE, DataType: modelconfig.DataType_TYPE_INT32, TargetName: []string{"A", "B"}, SourceInput: []string{"IN"},
		}},
		BatchOutput: []*modelconfig.BatchOutput{{TargetName: []string{"OUT"}, SourceInput: []string{"IN"}}},
	})
}

func of(t tensor.DataType, shape tensor.Shape, data ...byte) *infer.Request {
	return &infer.Request{Batch: shape[0], Inputs: []tensor.Tensor{{Name: "IN", Type: t, Shape: shape, Data: data}}}
}

func TestNoLayout(t *testing.T) {
	l := backend.LayoutOf(&modelconfig.ModelConfig{Input: []*modelconfig.ModelInput{{Name: "IN"}}})
	if made, err := l.BatchInputs(nil, nil); l != nil || l.Ragged("IN") || l.Scatters("OUT") || len(made) != 0 || err != nil {
		t.Errorf("a plain config has a layout: %+v", l)
	}
}

// The memory of the batch before is used again, whatever lay in it.
func TestLayoutUsesItsMemoryAgain(t *testing.T) {
	l := ragged(-1)
	var whole tensor.Tensor
	var made []tensor.Tensor
	for _, requests := range [][]*infer.Request{
		{of(tensor.Uint8, tensor.Shape{1, 3}, 1, 2, 3), of(tensor.Uint8, tensor.Shape{2, 1}, 4, 5)}, {of(tensor.Uint8, tensor.Shape{1, 2}, 6, 7)},
	} {
		var err error
		if whole, err = l.Gather(requests, "IN", whole); err != nil {
			t.Fatal(err)
		}
		if made, err = l.BatchInputs(requests, made); err != nil {
			t.Fatal(err)
		}
	}
	if whole.Shape.String() != "[2]" || string(whole.Data) != "\x06\x07" {
		t.Errorf("gathered %v %v", whole.Shape, whole.Data)
	}
	for i, name := range []string{"A", "B"} {
		if m := made[i]; m.Name != name || m.Shape.String() != "[1,1]" || binary.LittleEndian.Uint32(m.Data) != 2 || len(m.Data) != 4 {
			t.Errorf("made %+v", m)
		}
	}
}

func TestLayoutRefusals(t *testing.T) {
	without := &infer.Request{}
	l := ragged(-1)
	if _, err := l.Gather([]*infer.Request{without}, "IN", tensor.Tensor{}); err == nil {
		t.Error("a missing input was gathered")
	}
	if _, err := l.BatchInputs([]*infer.Request{without}, nil); err == nil {
		t.Error("a missing input was described")
	}
	if _, err := l.BatchInputs([]*infer.Request{of(tensor.Uint8, tensor.Shape{1 << 40, 0})}, nil); infer.CodeOf(err) != infer.InvalidArg {
		t.Errorf("shapes of items without number: %v", err)
	}
	short := tensor.Tensor{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{2}, Data: []byte{1, 2}}
	_, err := l.Split(short, []*infer.Request{of(tensor.Uint8, tensor.Shape{1, 3}, 1, 2, 3)})
	if err == nil || !strings.HasPrefix(err.Error(), "failed to split the output tensor 'OUT' in responses: the model gave [2]") {
		t.Errorf("an output that is too short: %v", err)
	}
	if _, err := ragged(-1, -1).Split(short, []*infer.Request{of(tensor.Uint8, tensor.Shape{1, 1}, 1)}); err == nil {
		t.Error("an output with more dimensions than its source was split")
	}
}

// Strings are split by their number, and never read beyond their end.
func TestLayoutSplitsStrings(t *testing.T) {
	words := []byte("\x01\x00\x00\x00a\x00\x00\x00\x00\x02\x00\x00\x00bc")
	requests := []*infer.Request{of(tensor.Bytes, tensor.Shape{1, 2}), of(tensor.Bytes, tensor.Shape{1, 1})}
	parts, err := ragged(-1).Split(tensor.Tensor{Name: "OUT", Type: tensor.Bytes, Shape: tensor.Shape{3}, Data: words}, requests)
	if err != nil || string(parts[0].Data) != string(words[:9]) || string(parts[1].Data) != string(words[9:]) {
		t.Errorf("parts %q, %v", parts, err)
	}
	for cut := range len(words) {
		if _, err := ragged(-1).Split(tensor.Tensor{Name: "OUT", Type: tensor.Bytes, Shape: tensor.Shape{3}, Data: words[:cut]}, requests); err == nil {
			t.Errorf("%d bytes were enough", cut)
		}
	}
}

package onnx

import (
	"testing"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// An output with fewer items than its requests have is refused with Triton's code.
func TestOutputOfTooFewItems(t *testing.T) {
	whole := tensor.Tensor{Name: "OUT", Type: tensor.Int32, Shape: tensor.Shape{1, 2}, Data: make([]byte, 8)}
	_, err := newCutter(whole, []*infer.Request{{Batch: 2}})
	want := "failed to split the output tensor 'OUT' in responses: expected batch size of at least 2 in model output, got 1"
	if err == nil || err.Error() != want || infer.CodeOf(err) != infer.Unsupported {
		t.Errorf("%v (%s), want %s (%s)", err, infer.CodeOf(err), want, infer.Unsupported)
	}
}

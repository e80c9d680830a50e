package onnx_test

import (
	"strings"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Outputs of strings are counted: while ONNX Runtime has them, and in wire form until the answer is released. An output
// that does not fit is refused, and holds nothing.
func TestStringsOfOutputsAreCounted(t *testing.T) {
	const elements = 1000
	input := words("INPUT", tensor.Shape{elements}, strings.Split(strings.Repeat("a text of many letters,", elements-1)+"short", ",")...)
	wire := int64(len(input.Data))
	needs := input.StringsSize() + wire + 8*elements
	for limit, fits := range map[int64]bool{needs: true, needs - 1: false} {
		spec := specOf(t, onnxtest.Identity(onnxtest.String, "n").Bytes(), nil)
		memory := budget.Of(limit)
		spec.Memory = memory
		instance := instanceOf(t, loadSpec(t, spec))
		for range 2 {
			out := run(t.Context(), t, instance, request(elements, input))[0]
			if fits {
				if out.err != nil || memory.Used() != wire || string(out.response.Outputs[0].Data) != string(input.Data) {
					t.Fatalf("%d bytes of %d are held, want %d; %v", memory.Used(), limit, wire, out.err)
				}
				out.response.Release()
			} else if infer.CodeOf(out.err) != infer.InvalidArg || infer.FateOf(out.err) != infer.Failed || !strings.Contains(out.err.Error(), "--request-memory-limit") {
				t.Fatalf("an output beyond the limit: %v", out.err)
			}
			if memory.Used() != 0 {
				t.Errorf("%d bytes are held at the end", memory.Used())
			}
		}
	}
}

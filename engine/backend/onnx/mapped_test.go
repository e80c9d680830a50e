package onnx_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
)

// Weights in a file of their own count once, whether ONNX Runtime maps them or copies them for its kernels, as for MatMul.
func TestWeightsInAFileCountOnce(t *testing.T) {
	const side = 1024
	const weights, slack = 4 * side * side, 1 << 20
	for op, dims := range map[string][]int64{"MatMul": {side, side}, "Sub": {side * side}} {
		width := int(dims[len(dims)-1])
		spec := specOf(t, onnxtest.Model{
			Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n", width)}},
			Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", width)}},
			Nodes:        []onnxtest.Node{{Op: op, Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
			Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Float, Dims: dims, External: "weights.bin"}},
		}.Bytes(), nil)
		if err := os.WriteFile(filepath.Join(spec.VersionDir, "weights.bin"), make([]byte, weights), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := newBackend(t).Load(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.(backend.MemoryReporter).Memory()[0].Bytes; got < weights || got > weights+slack {
			t.Errorf("%s: %d bytes with weights of %d", op, got, weights)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

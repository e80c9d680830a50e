package onnx_test

import (
	"maps"
	"slices"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/onnx/onnxtest"
)

func TestConformance(t *testing.T) {
	backendtest.Run(t, backendtest.Subject{
		New:      func(t *testing.T) backend.Backend { return newBackend(t) },
		Identity: func(t *testing.T, s backendtest.Shape) backend.Spec { return copying(t, s, "") },
		Pair:     func(t *testing.T, s backendtest.Shape) backend.Spec { return copying(t, s, "0", "1") },
		Broken:   func(t *testing.T) backend.Spec { return specOf(t, []byte("no model"), nil) },
		Types:    slices.Collect(maps.Keys(elements)),
	})
}

// copying is a model that copies IN<suffix> to OUT<suffix>.
func copying(t *testing.T, s backendtest.Shape, suffixes ...string) backend.Spec {
	var dims []any
	if s.MaxBatch > 0 {
		dims = append(dims, "batch")
	}
	for i, d := range s.Dims {
		if d == -1 {
			dims = append(dims, string(rune('a'+i)))
			continue
		}
		dims = append(dims, int(d))
	}
	var m onnxtest.Model
	for _, suffix := range suffixes {
		one := onnxtest.Identity(elements[s.Type], dims...)
		one.Inputs[0].Name, one.Outputs[0].Name = "IN"+suffix, "OUT"+suffix
		one.Nodes[0].Inputs, one.Nodes[0].Outputs = []string{"IN" + suffix}, []string{"OUT" + suffix}
		m.Inputs, m.Outputs = append(m.Inputs, one.Inputs...), append(m.Outputs, one.Outputs...)
		m.Nodes = append(m.Nodes, one.Nodes...)
	}
	return specOf(t, m.Bytes(), &modelconfig.ModelConfig{MaxBatchSize: s.MaxBatch})
}

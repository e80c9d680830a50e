package onnx_test

import (
	"maps"
	"slices"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
)

func TestConformance(t *testing.T) {
	backendtest.Run(t, backendtest.Subject{
		New:      func(t *testing.T) backend.Backend { return newBackend(t) },
		Identity: func(t *testing.T, s backendtest.Shape) backend.Spec { return copying(t, s, "") },
		Pair:     func(t *testing.T, s backendtest.Shape) backend.Spec { return copying(t, s, "0", "1") },
		Ragged:   ragged,
		Bare:     bare,
		Broken:   func(t *testing.T) backend.Spec { return specOf(t, []byte("no model"), nil) },
		Types:    slices.Collect(maps.Keys(elements)),
	})
}

// bare is a model that copies IN to OUT, with a config that says neither.
func bare(t *testing.T, s backendtest.Shape) backend.Spec {
	spec := copying(t, s, "")
	spec.Config = &modelconfig.ModelConfig{Name: spec.Name, Backend: "onnxruntime", Platform: "onnxruntime_onnx", DefaultModelFilename: "model.onnx"}
	return spec
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

// ragged is a model whose k-th output copies the k-th of the config's inputs and then of its batch inputs, all of them flat.
func ragged(t *testing.T, cfg *modelconfig.ModelConfig) backend.Spec {
	var m onnxtest.Model
	add := func(in string, kind modelconfig.DataType, dims []any) {
		elem := elements[tensor.DataType(kind)]
		out := cfg.Output[len(m.Outputs)].Name
		m.Inputs = append(m.Inputs, onnxtest.Value{Name: in, Type: elem, Dims: dims})
		m.Outputs = append(m.Outputs, onnxtest.Value{Name: out, Type: elem, Dims: dims})
		m.Nodes = append(m.Nodes, onnxtest.Node{Op: "Identity", Inputs: []string{in}, Outputs: []string{out}})
	}
	for _, in := range cfg.Input {
		add(in.Name, in.DataType, onnxtest.Dims(in.Name+"_size"))
	}
	for _, in := range cfg.BatchInput {
		dims := onnxtest.Dims(in.TargetName[0] + "_size")
		if in.Kind == modelconfig.BatchInput_BATCH_ITEM_SHAPE {
			dims = append(dims, 1)
		}
		add(in.TargetName[0], in.DataType, dims)
	}
	cfg.Name, cfg.Backend = "m", "onnxruntime"
	return specOf(t, m.Bytes(), cfg)
}

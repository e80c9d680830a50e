package onnx_test

import (
	"context"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
)

func TestSettings(t *testing.T) {
	yes := true
	got := onnx.ReadSettings([]string{
		"default-max-batch-size=8", "python,shm-default-byte-size=1", "onnxruntime,unknown=1", "onnxruntime,intra_op_thread_count=9",
		"onnxruntime,enable-global-threadpool=ON", "onnxruntime,intra_op_thread_count=2x", "onnxruntime,inter_op_thread_count=-1",
		"onnxruntime,cpu_mem_limit=1000", "onnxruntime,optimized-model-cache=/kept", "onnxruntime,optimized-model-cache-byte-size=77",
		"onnxruntime,optimized-model-cache-min-byte-size=3",
	})
	want := onnx.Settings{SharedThreads: &yes, IntraThreads: 2, MemoryLimit: 1000, Optimized: "/kept", OptimizedBytes: 77, OptimizedFrom: 3}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for line, want := range map[string]string{
		"onnxruntime,enable-global-threadpool=yes": "failed to convert 'yes' to boolean",
		"onnxruntime,intra_op_thread_count=many":   "failed to convert 'many' to integral number",
		"onnxruntime,cpu_mem_limit=1k":             `cpu_mem_limit: "1k" is not a number of bytes`,
	} {
		b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Settings: onnx.ReadSettings([]string{line})})
		if _, err := b.Load(context.Background(), specOf(t, onnxtest.AddSub(16).Bytes(), nil)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Threads of a model's own and the process's give the same answers, no matter who decides.
func TestThreads(t *testing.T) {
	yes, no := true, false
	for name, told := range map[string]*bool{"by config": nil, "shared": &yes, "own": &no} {
		t.Run(name, func(t *testing.T) {
			b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), Settings: onnx.Settings{SharedThreads: told}})
			for _, count := range []string{"0", "2"} {
				spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(parameter("intra_op_thread_count", count)))
				model, err := b.Load(context.Background(), spec)
				if err != nil {
					t.Fatal(err)
				}
				one(t, instanceOf(t, model), addSubRequest(0, 16))
				model.Close()
			}
		})
	}
}

// A run that needs more than the model may hold fails; the model, and others, go on.
func TestMemoryLimit(t *testing.T) {
	spec := specOf(t, manySteps().Bytes(), nil)
	limitedSpec := spec
	limitedSpec.Config = withConfig(spec.Config, parameter("cpu_mem_limit", "20000000"))
	limited, free := instanceOf(t, loadSpec(t, limitedSpec)), instanceOf(t, loadSpec(t, spec))
	small, large := rows(1_000), rows(10_000_000)
	one(t, limited, request(0, small))
	out := run(context.Background(), t, limited, request(0, large))[0]
	if out.err == nil || !strings.Contains(out.err.Error(), "onnx runtime error") || !strings.Contains(out.err.Error(), "memory") {
		t.Errorf("40 MB in 20: %v", out.err)
	}
	one(t, limited, request(0, small))
	one(t, free, request(0, large))
}

// manySteps makes tensors on its way that are as large as its input.
func manySteps() onnxtest.Model {
	return onnxtest.Model{
		Inputs:  []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n")}},
		Outputs: []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims()}},
		Nodes: []onnxtest.Node{
			{Op: "Neg", Inputs: []string{"X"}, Outputs: []string{"a"}},
			{Op: "Exp", Inputs: []string{"a"}, Outputs: []string{"b"}},
			{Op: "ReduceMax", Inputs: []string{"b"}, Outputs: []string{"Y"}, Attributes: map[string]any{"keepdims": int64(0)}},
		},
	}
}

func rows(n int64) tensor.Tensor {
	return tensor.Tensor{Name: "X", Type: tensor.FP32, Shape: tensor.Shape{n}, Data: make([]byte, 4*n)}
}

// withConfig is a changed copy of a config.
func withConfig(c *modelconfig.ModelConfig, change func(*modelconfig.ModelConfig)) *modelconfig.ModelConfig {
	c = proto.Clone(c).(*modelconfig.ModelConfig)
	change(c)
	return c
}

package engine_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

const addSub = `backend: "onnxruntime" max_batch_size: 8 instance_group [{ count: 2 kind: KIND_CPU }]
input [{ name: "INPUT0" data_type: TYPE_INT32 dims: [16] }, { name: "INPUT1" data_type: TYPE_INT32 dims: [16] }]
output [{ name: "OUTPUT0" data_type: TYPE_INT32 dims: [16] }, { name: "OUTPUT1" data_type: TYPE_INT32 dims: [16] }]
`

// chain returns an ensemble of add_sub models in a row.
func chain(steps int) string {
	text := `platform: "ensemble" max_batch_size: 8
input [{ name: "A" data_type: TYPE_INT32 dims: [16] }, { name: "t0" data_type: TYPE_INT32 dims: [16] }]
output [{ name: "t` + fmt.Sprint(steps) + `" data_type: TYPE_INT32 dims: [16] }]
ensemble_scheduling { step [`
	for i := range steps {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{ model_name: "add_sub" model_version: -1 input_map { key: "INPUT0" value: "A" } input_map { key: "INPUT1" value: "t%d" } output_map { key: "OUTPUT0" value: "t%d" } }`, i, i+1)
	}
	return text + "] }"
}

// benchEngine serves models with these configs; ONNX Runtime's models have this graph.
func benchEngine(b testing.TB, graph onnxtest.Model, configs map[string]string) *engine.Engine {
	b.Helper()
	dir := controltest.New(b, 1)
	for name, config := range configs {
		dir.Write(b, name+"/config.pbtxt", config)
		dir.Write(b, name+"/1/model.onnx", string(graph.Bytes()))
	}
	dir.Look()
	e := engine.New(engine.Options{
		Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"*"}},
		Backends: []backend.Backend{onnx.New(onnx.Options{Library: onnxtest.Library(b), Log: slog.New(slog.DiscardHandler)})},
	})
	runs(b, e)
	for name := range configs {
		if ready, _ := e.ModelReady(context.Background(), name, infer.Latest); !ready {
			b.Fatalf("%s did not load: %v", name, e.Index(false))
		}
	}
	return e
}

func addSubRequest(model, first, second string) *infer.Request {
	shape, data := tensor.Shape{1, 16}, make([]byte, 64)
	return &infer.Request{Model: model, Version: infer.Latest, Inputs: []tensor.Tensor{
		{Name: first, Type: tensor.Int32, Shape: shape, Data: data}, {Name: second, Type: tensor.Int32, Shape: shape, Data: data},
	}}
}

// BenchmarkRequest measures one request through the engine in this process. BenchmarkAddSub measures the backend's
// part of it.
func BenchmarkRequest(b *testing.B) {
	e := benchEngine(b, onnxtest.AddSub("n", 16), map[string]string{
		"add_sub": addSub, "dynamic": addSub + "dynamic_batching {}", "one_step": chain(1), "four_steps": chain(4),
	})
	for name, r := range map[string]*infer.Request{
		"direct":     addSubRequest("add_sub", "INPUT0", "INPUT1"),
		"dynamic":    addSubRequest("dynamic", "INPUT0", "INPUT1"),
		"one step":   addSubRequest("one_step", "A", "t0"),
		"four steps": addSubRequest("four_steps", "A", "t0"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Infer(context.Background(), r, ignore); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// dense returns a layer where a batch costs little more than one item: a product with a square matrix of
// weights.
func dense(size int) onnxtest.Model {
	weights := make([]byte, 0, 4*size*size)
	for i := range size * size {
		weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(float32(i%7)/7))
	}
	return onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n", size)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", size)}},
		Initializers: []onnxtest.Initializer{{Name: "w", Type: onnxtest.Float, Dims: []int64{int64(size), int64(size)}, Raw: weights}},
		Nodes:        []onnxtest.Node{{Op: "MatMul", Inputs: []string{"X", "w"}, Outputs: []string{"Y"}}},
	}
}

// BenchmarkBatching measures how many items a second a model runs when 32 clients send one each, and when one client
// sends batches of 32.
func BenchmarkBatching(b *testing.B) {
	const size, clients = 1024, 32
	config := fmt.Sprintf(`backend: "onnxruntime" max_batch_size: %d instance_group [{ count: 1 kind: KIND_CPU }]
input [{ name: "X" data_type: TYPE_FP32 dims: [%d] }] output [{ name: "Y" data_type: TYPE_FP32 dims: [%d] }]
`, clients, size, size)
	e := benchEngine(b, dense(size), map[string]string{
		"plain": config, "dynamic": config + fmt.Sprintf("dynamic_batching { preferred_batch_size: [%d] max_queue_delay_microseconds: 500 }", clients),
	})
	send := func(b *testing.B, model string, batch int64) {
		r := &infer.Request{Model: model, Version: infer.Latest, Inputs: []tensor.Tensor{
			{Name: "X", Type: tensor.FP32, Shape: tensor.Shape{batch, size}, Data: make([]byte, 4*size*batch)},
		}}
		if err := e.Infer(context.Background(), r, ignore); err != nil {
			b.Error(err)
		}
	}
	b.Run("batches of 32", func(b *testing.B) {
		for b.Loop() {
			send(b, "plain", clients)
		}
		b.ReportMetric(float64(b.N)*clients/b.Elapsed().Seconds(), "items/s")
	})
	for _, model := range []string{"plain", "dynamic"} {
		b.Run("32 clients, "+model, func(b *testing.B) {
			b.SetParallelism(clients / 2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					send(b, model, 1)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
		})
	}
}

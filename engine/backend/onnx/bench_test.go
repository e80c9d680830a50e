package onnx_test

import (
	"context"
	"testing"

	binding "github.com/yalue/onnxruntime_go"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// BenchmarkAddSub is our way through ONNX Runtime: what a request costs below the scheduler.
func BenchmarkAddSub(b *testing.B) {
	benchmark(b, load(b, onnxtest.AddSub(16), nil), addSubRequest(0, 16))
}

// BenchmarkAddSubBatchOf8 joins eight requests and splits their answers.
func BenchmarkAddSubBatchOf8(b *testing.B) {
	requests := make([]*infer.Request, 8)
	for i := range requests {
		requests[i] = addSubRequest(1, 1, 16)
	}
	benchmark(b, load(b, onnxtest.AddSub("batch", 16), nil), requests...)
}

// BenchmarkAddSubOneThread is BenchmarkAddSub with a session that has one thread.
func BenchmarkAddSubOneThread(b *testing.B) {
	cfg := &modelconfig.ModelConfig{Parameters: map[string]*modelconfig.ModelParameter{
		"intra_op_thread_count": {StringValue: "1"},
	}}
	benchmark(b, load(b, onnxtest.AddSub(16), cfg), addSubRequest(0, 16))
}

func BenchmarkStrings(b *testing.B) {
	in := words("INPUT", tensor.Shape{4}, "one", "two", "three", "four")
	benchmark(b, load(b, onnxtest.Identity(onnxtest.String, 4), nil), request(0, in))
}

func addSubRequest(batch int64, shape ...int64) *infer.Request {
	return request(batch, ints("INPUT0", shape, make([]int32, 16)...), ints("INPUT1", shape, make([]int32, 16)...))
}

func benchmark(b *testing.B, instance backend.Instance, requests ...*infer.Request) {
	ctx := context.Background()
	respond := func(_ int, r *infer.Response) { r.Release() }
	fail := func(_ int, err error) { b.Fatal(err) }
	batch := backend.NewBatch(requests, respond, fail)
	b.ReportAllocs()
	for b.Loop() {
		instance.Execute(ctx, batch)
	}
}

// BenchmarkBinding is the Go binding's way, its tensors made again and its outputs left to ONNX Runtime.
func BenchmarkBinding(b *testing.B) {
	spec := specOf(b, onnxtest.AddSub(16).Bytes(), nil)
	loadSpec(b, spec) // opens the library
	session, err := binding.NewDynamicAdvancedSession(spec.File,
		[]string{"INPUT0", "INPUT1"}, []string{"OUTPUT0", "OUTPUT1"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Destroy()
	data := make([]int32, 16)
	b.ReportAllocs()
	for b.Loop() {
		bindingRun(b, session, data)
	}
}

func bindingRun(b *testing.B, session *binding.DynamicAdvancedSession, data []int32) {
	values := make([]binding.Value, 4)
	for i := range 2 {
		in, err := binding.NewTensor(binding.NewShape(16), data)
		if err != nil {
			b.Fatal(err)
		}
		values[i] = in
	}
	if err := session.Run(values[:2], values[2:]); err != nil {
		b.Fatal(err)
	}
	for _, v := range values {
		v.Destroy()
	}
}

// BenchmarkLoad is what a small model costs to load and unload.
func BenchmarkLoad(b *testing.B) {
	spec := specOf(b, onnxtest.AddSub(16).Bytes(), nil)
	backend := newBackend(b)
	for b.Loop() {
		model, err := backend.Load(context.Background(), spec)
		if err != nil {
			b.Fatal(err)
		}
		model.Close()
	}
}

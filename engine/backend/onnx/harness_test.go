package onnx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

var cpuInstance = backend.InstanceSpec{Name: "m_0_0", Kind: modelconfig.ModelInstanceGroup_KIND_CPU}

// newBackend makes a backend on the library in the build's cache.
func newBackend(t testing.TB) *onnx.Backend {
	t.Helper()
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { b.Close() })
	return b
}

// specOf is what the engine would pass for a model file: the config completed from its header.
func specOf(t testing.TB, file []byte, cfg *modelconfig.ModelConfig) backend.Spec {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m", "1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.onnx")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	header, _ := modelfile.ReadONNX(bytes.NewReader(file), int64(len(file)))
	effective, _, err := derive.Effective(cfg, derive.Facts{
		ModelName: "m", Files: []derive.File{{Name: "model.onnx"}}, ONNX: header, AutoComplete: true,
	})
	if err != nil {
		t.Fatalf("complete the config: %v", err)
	}
	return backend.Spec{
		Name: "m", Version: 1, ModelDir: filepath.Dir(dir), VersionDir: dir, File: path,
		Config: effective, Log: slog.New(slog.DiscardHandler),
	}
}

// load makes a model and one instance of it.
func load(t testing.TB, m onnxtest.Model, cfg *modelconfig.ModelConfig) backend.Instance {
	t.Helper()
	return instanceOf(t, loadSpec(t, specOf(t, m.Bytes(), cfg)))
}

func loadSpec(t testing.TB, spec backend.Spec) backend.Model {
	t.Helper()
	model, err := newBackend(t).Load(context.Background(), spec)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	t.Cleanup(func() { model.Close() })
	return model
}

func instanceOf(t testing.TB, model backend.Model) backend.Instance {
	t.Helper()
	instance, err := model.NewInstance(context.Background(), cpuInstance)
	if err != nil {
		t.Fatalf("make an instance: %v", err)
	}
	t.Cleanup(func() { instance.Close() })
	return instance
}

// outcome is what became of one request.
type outcome struct {
	response *infer.Response
	err      error
}

// run executes the requests as one batch.
func run(ctx context.Context, t testing.TB, instance backend.Instance, requests ...*infer.Request) []outcome {
	t.Helper()
	outcomes := make([]outcome, len(requests))
	answered := make([]int, len(requests))
	batch := backend.NewBatch(requests,
		func(i int, r *infer.Response) { outcomes[i].response = r; answered[i]++ },
		func(i int, err error) { outcomes[i].err = err; answered[i]++ })
	batch.Start()
	instance.Execute(ctx, batch)
	for i, n := range answered {
		if n != 1 {
			t.Fatalf("request %d was answered %d times", i, n)
		}
	}
	return outcomes
}

// one runs a single request that must succeed.
func one(t testing.TB, instance backend.Instance, r *infer.Request) *infer.Response {
	t.Helper()
	out := run(context.Background(), t, instance, r)[0]
	if out.err != nil {
		t.Fatalf("run: %v", out.err)
	}
	t.Cleanup(out.response.Release)
	return out.response
}

func request(batch int64, inputs ...tensor.Tensor) *infer.Request {
	return &infer.Request{ID: "r", Model: "m", Version: 1, Inputs: inputs, Batch: batch}
}

// ints is an INT32 tensor.
func ints(name string, shape tensor.Shape, values ...int32) tensor.Tensor {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return tensor.Tensor{Name: name, Type: tensor.Int32, Shape: shape, Data: data}
}

// words is a BYTES tensor.
func words(name string, shape tensor.Shape, values ...string) tensor.Tensor {
	var data []byte
	for _, v := range values {
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(v))), v...)
	}
	return tensor.Tensor{Name: name, Type: tensor.Bytes, Shape: shape, Data: data}
}

// show prints a tensor for comparison.
func show(t *tensor.Tensor) string {
	if t == nil {
		return "absent"
	}
	return fmt.Sprintf("%s %s %s %x", t.Name, t.Type, t.Shape, t.Data)
}

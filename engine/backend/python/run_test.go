package python_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// loadModel loads a model of a program and makes one instance.
func loadModel(t *testing.T, program string, cfg *modelconfig.ModelConfig) backend.Instance {
	t.Helper()
	b := newBackend(t)
	m, err := b.Load(t.Context(), specOf(t, program, cfg))
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0", Kind: modelconfig.ModelInstanceGroup_KIND_CPU})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return in
}

// run runs one request and returns its response, whose memory the caller frees.
func run(t *testing.T, in backend.Instance, inputs ...tensor.Tensor) (*infer.Response, error) {
	t.Helper()
	return runIn(t.Context(), t, in, inputs...)
}

// errNotBegun is the error of a batch that the instance has not begun, because it has died or the client has left.
var errNotBegun = errors.New("the instance has not begun the batch")

// runIn runs one request with a context.
func runIn(ctx context.Context, t *testing.T, in backend.Instance, inputs ...tensor.Tensor) (*infer.Response, error) {
	t.Helper()
	return runRequest(ctx, t, in, &infer.Request{Batch: 1, Inputs: inputs})
}

func runRequest(ctx context.Context, t *testing.T, in backend.Instance, request *infer.Request) (*infer.Response, error) {
	t.Helper()
	var got *infer.Response
	var failed error
	batch := backend.NewBatch([]*infer.Request{request}, func(_ int, r *infer.Response) { got = r }, func(_ int, err error) { failed = err })
	in.Execute(ctx, batch)
	if got == nil && failed == nil && batch.Started().IsZero() {
		return nil, errNotBegun
	}
	if (got == nil) == (failed == nil) {
		t.Fatalf("answered with %v and %v", got, failed)
	}
	return got, failed
}

func free(r *infer.Response) {
	if r.Release != nil {
		r.Release()
	}
}

// floats returns a tensor [1, n] whose elements are first, first+1, …
func floats(name string, n int, first float32) tensor.Tensor {
	data := make([]byte, 0, 4*n)
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(first+float32(i)))
	}
	return tensor.Tensor{Name: name, Type: tensor.FP32, Shape: tensor.Shape{1, int64(n)}, Data: data}
}

func flat(t tensor.DataType) *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{
		Name: "m", Backend: "python", MaxBatchSize: 8,
		Input:  []*modelconfig.ModelInput{{Name: "IN", DataType: modelconfig.DataType(t), Dims: []int64{-1}}},
		Output: []*modelconfig.ModelOutput{{Name: "OUT", DataType: modelconfig.DataType(t), Dims: []int64{-1}}},
	}
}

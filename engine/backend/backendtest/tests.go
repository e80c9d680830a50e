package backendtest

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// testLoad: a load that fails returns an error of the engine; the next load is not affected; a model can be loaded, closed
// and loaded again.
func testLoad(t *testing.T, s Subject) {
	b := s.New(t)
	defer func() { check(t, "close backend", b.Close()) }()
	if b.Name() == "" {
		t.Error("the backend has no name")
	}
	var e *infer.Error
	if m, err := b.Load(t.Context(), s.Broken(t)); !errors.As(err, &e) || m != nil {
		t.Errorf("load of a broken model = %v, %v; want an *infer.Error and no model", m, err)
	}
	spec := s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8})
	gone := spec
	gone.File = filepath.Join(t.TempDir(), "nothing", "here")
	if m, err := b.Load(t.Context(), gone); !errors.As(err, &e) || m != nil {
		t.Errorf("load of a missing file = %v, %v; want an *infer.Error and no model", m, err)
	}
	for range 3 {
		m, err := b.Load(t.Context(), spec)
		if err != nil {
			t.Fatalf("load: %v", err)
		}
		check(t, "close model", m.Close())
	}
}

// testTypes: every type passes unchanged, with and without batching, also empty tensors and strings with NUL bytes.
func testTypes(t *testing.T, s Subject) {
	for _, dt := range s.Types {
		t.Run(dt.String(), func(t *testing.T) {
			in := load(t, s, s.Identity(t, Shape{Type: dt, Dims: []int64{-1}, MaxBatch: 8}))
			for _, shape := range []tensor.Shape{{1, 1}, {3, 5}, {2, 0}} {
				r := request("IN", dt, shape, 3)
				wantCopy(t, execute(t.Context(), t, in.Instance, r)[0], "OUT", r.Inputs[0])
			}
		})
	}
	t.Run("without batching", func(t *testing.T) {
		in := load(t, s, s.Identity(t, Shape{Type: tensor.Int32, Dims: []int64{2, 3}}))
		r := request("IN", tensor.Int32, tensor.Shape{2, 3}, 1)
		r.Batch = 0
		wantCopy(t, execute(t.Context(), t, in.Instance, r)[0], "OUT", r.Inputs[0])
	})
}

// testBatches: requests of any sizes that run together get their own rows back.
func testBatches(t *testing.T, s Subject) {
	for _, dt := range []tensor.DataType{tensor.FP32, tensor.Bytes} {
		in := load(t, s, s.Identity(t, Shape{Type: dt, Dims: []int64{3}, MaxBatch: 8}))
		var requests []*infer.Request
		for i, size := range []int64{1, 3, 2, 2} {
			requests = append(requests, request("IN", dt, tensor.Shape{size, 3}, byte(17*i)))
		}
		for i, a := range execute(t.Context(), t, in.Instance, requests...) {
			wantCopy(t, a, "OUT", requests[i].Inputs[0])
		}
	}
}

// testAnswers: an answer has only the requested outputs, and a cancelled context ends an execution with an answer.
func testAnswers(t *testing.T, s Subject) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	in := load(t, s, s.Identity(t, Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 8}))
	execute(cancelled, t, in.Instance, request("IN", tensor.FP32, tensor.Shape{1, 4}, 0))
	if s.Pair == nil {
		return
	}
	pair := load(t, s, s.Pair(t, Shape{Type: tensor.FP32, Dims: []int64{2}, MaxBatch: 8}))
	r := &infer.Request{Batch: 1, Outputs: []infer.RequestedOutput{{Name: "OUT1"}}, Inputs: []tensor.Tensor{
		content("IN1", tensor.FP32, tensor.Shape{1, 2}, 9), content("IN0", tensor.FP32, tensor.Shape{1, 2}, 5),
	}}
	a := execute(t.Context(), t, pair.Instance, r)[0]
	wantCopy(t, a, "OUT1", r.Inputs[0])
	if len(a.outputs) != 1 {
		t.Errorf("got %d outputs, want 1", len(a.outputs))
	}
}

// testSideBySide: instances of one model run at the same time, and each gives its own answers.
func testSideBySide(t *testing.T, s Subject) {
	spec := s.Identity(t, Shape{Type: tensor.Int64, Dims: []int64{16}, MaxBatch: 8})
	first := load(t, s, spec)
	instances := []backend.Instance{first.Instance}
	for range 3 {
		instances = append(instances, instance(t, first.Model, "another"))
	}
	var all sync.WaitGroup
	for i, in := range instances {
		all.Go(func() {
			for n := range 50 {
				r := request("IN", tensor.Int64, tensor.Shape{1 + int64(n%8), 16}, byte(i*50+n))
				wantCopy(t, execute(t.Context(), t, in, r)[0], "OUT", r.Inputs[0])
			}
		})
	}
	all.Wait()
}

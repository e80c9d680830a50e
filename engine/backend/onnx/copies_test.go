package onnx_test

import (
	"context"
	"runtime"
	"testing"
	"unsafe"

	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// unaligned is a request whose numbers lie at an odd address, as in a connection's buffer: each run needs a copy of them.
func unaligned(elements int64) *infer.Request {
	buffer := make([]byte, 4*elements+2)
	from := 1 - uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))%2
	return request(0, tensor.Tensor{
		Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{elements}, Data: buffer[from : from+uintptr(4*elements)],
	})
}

// A model that runs often does not allocate a large copy for each run, and one that rests does not keep it.
func TestLargeCopiesOfInputs(t *testing.T) {
	const elements, copied, runs = 8 << 20, 4 * 8 << 20, 20
	instance := load(t, onnxtest.Identity(onnxtest.Float, elements), nil)
	batch := backend.NewBatch([]*infer.Request{unaligned(elements)},
		func(_ int, r *infer.Response) { r.Release() }, func(_ int, err error) { t.Error(err) })
	var before, hot, rested runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range runs {
		instance.Execute(context.Background(), batch)
	}
	runtime.ReadMemStats(&hot)
	if took := hot.TotalAlloc - before.TotalAlloc; took > runs/4*3*copied { // the race detector has a pool lose some
		t.Errorf("%d runs took %d MB for copies of %d MB", runs, took>>20, copied>>20)
	}
	for range 2 { // a pool lets go what two collections find unused
		runtime.GC()
	}
	runtime.ReadMemStats(&rested)
	if kept := int64(rested.HeapAlloc) - int64(before.HeapAlloc); kept > copied/2 {
		t.Errorf("a model that rests keeps %d MB", kept>>20)
	}
	runtime.KeepAlive(batch)
}

// BenchmarkUnaligned is a large request that has to be copied for each run.
func BenchmarkUnaligned(b *testing.B) {
	const elements = 8 << 20
	benchmark(b, load(b, onnxtest.Identity(onnxtest.Float, elements), nil), unaligned(elements))
}

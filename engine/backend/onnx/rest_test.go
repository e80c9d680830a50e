package onnx_test

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
)

// What a large request took of the arena goes back to the system, once its answer is released; what a small one took stays.
func TestReleaseMemory(t *testing.T) {
	b := newBackend(t)
	model, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub("n").Bytes(), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	instance := instanceOf(t, model)
	held := func() uint64 { return model.(backend.MemoryReporter).Memory()[0].Bytes }
	add := func(numbers int) (release func()) {
		input := make([]int32, numbers)
		shape := tensor.Shape{int64(numbers)}
		return one(t, instance, request(0, ints("INPUT0", shape, input...), ints("INPUT1", shape, input...))).Release
	}
	release := add(16 << 20) // two answers of 64 MB
	b.ReleaseMemory()
	if held() < 128<<20 {
		t.Errorf("%d MB are held while the answers are", held()>>20)
	}
	release()
	b.ReleaseMemory()
	if held() > 16<<20 {
		t.Errorf("%d MB are held when nothing runs", held()>>20)
	}
	add(1 << 10)()
	before := held()
	b.ReleaseMemory()
	if held() != before || before == 0 {
		t.Errorf("%d bytes were held after a small request, %d after it was looked at", before, held())
	}
}

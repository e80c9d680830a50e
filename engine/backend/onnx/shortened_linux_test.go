package onnx_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/kserve/region/mapped"
	"conch/engine/tensor"
)

// ONNX Runtime reads an input in the memory of a client. What the client has taken away is zeros, and ends no process.
func TestInputThatIsShortened(t *testing.T) {
	instance := load(t, onnxtest.Identity(onnxtest.Float, 1, "n"), nil)
	path, size := filepath.Join(t.TempDir(), "region"), 64*os.Getpagesize()
	if err := os.WriteFile(path, bytes.Repeat([]byte{1}, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory, err := mapped.Map(f, 0, size)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	in := tensor.Tensor{Name: "INPUT", Type: tensor.FP32, Shape: tensor.Shape{1, int64(size / 4)}, Data: memory.Bytes()}
	for _, left := range []int{size, size / 2} {
		if err := f.Truncate(int64(left)); err != nil {
			t.Fatal(err)
		}
		out := one(t, instance, request(0, in)).Output("OUTPUT")
		if ones := bytes.Count(out.Data, []byte{1}); ones != left || memory.Torn() != (left < size) {
			t.Errorf("with %d bytes left: %d of them were read, torn %v", left, ones, memory.Torn())
		}
	}
}

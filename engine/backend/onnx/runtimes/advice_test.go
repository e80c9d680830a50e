package runtimes_test

import (
	"slices"
	"testing"

	"conch/engine/backend/onnx/runtimes"
)

// A damaged library of the build itself is in no other package: a whole build brings it.
func TestAdviceOnPartsOfTheBuild(t *testing.T) {
	const part = "libonnxruntime_providers_cuda.so"
	lines := runtimes.Advise(runtimes.Report{CUDA: 13, Missing: []runtimes.Missing{{Library: part}}}, nil).Lines()
	if want := []string{part + " belongs to the build itself: take a whole build"}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

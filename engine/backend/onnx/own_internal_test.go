package onnx

import (
	"slices"
	"testing"

	"conch/configedit/backends"
)

// The checks know the accelerators that the backend has besides those of Triton.
func TestOwnAccelerators(t *testing.T) {
	row := backends.Named(backends.ONNXRuntime)
	var own []string
	for _, a := range builtIn() {
		if name := a.Describe().Name; !slices.Contains(row.CPUAccelerators, name) && !slices.Contains(row.GPUAccelerators, name) {
			own = append(own, name)
		}
	}
	if !slices.Equal(own, row.OwnAccelerators) {
		t.Errorf("the backend has %q, and the checks know %q", own, row.OwnAccelerators)
	}
}

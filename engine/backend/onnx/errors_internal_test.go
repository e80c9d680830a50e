package onnx

import (
	"testing"

	"conch/engine/backend/onnx/ort"
)

// A GPU without FP16 is told with what helps: the load of such a model by WebGPU shows nothing.
func TestGPUWithoutHalf(t *testing.T) {
	const says = "Non-zero status code returned while running MatMul node. Name:'' Status Message: shader_helper.cc:416 GenerateSourceCode Program MatMul requires f16 but the device does not support it."
	want := "the GPU does not compute FP16 by WebGPU, and the model needs it: run it on the processor, without webgpu in its config or under Devices… of the workbench, or take its FP32 version. ONNX Runtime says: " + says
	if got := asInferError(&ort.Error{Code: 1, Message: says}).Error(); got != want {
		t.Error(got)
	}
}

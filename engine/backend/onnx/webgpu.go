package onnx

import (
	"errors"
	"strings"

	"conch/configedit/backends"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// webGPU runs on a graphics adapter. Its parameters are passed on unchanged.
type webGPU struct{}

func (webGPU) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: "webgpu", Provider: "WebGpuExecutionProvider"}
}

func (webGPU) Append(options *ort.Options, use AcceleratorUse) error {
	return withoutAdapter(use.Name, options.AppendWebGPU(use.Parameters))
}

// lacksAdapter is what ONNX Runtime says of an adapter, or of a device behind it, that WebGPU does not get.
const lacksAdapter = "Failed to get a WebGPU "

// withoutAdapter puts a sentence for people before what ONNX Runtime says of a missing adapter, which is for its makers.
func withoutAdapter(model string, err error) error {
	var native *ort.Error
	if !errors.As(err, &native) || !strings.Contains(native.Message, lacksAdapter) {
		return err
	}
	return infer.Errorf(infer.Unsupported, "model '%s' needs the Execution Accelerator 'webgpu', which %s, or take the accelerator out of the config%s%s",
		model, backends.NoAdapter, backends.LibrarySays, native.Message)
}

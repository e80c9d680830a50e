package onnx

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"conch/configedit/backends"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// webGPU runs on a graphics adapter. Its parameters are passed on unchanged.
type webGPU struct {
	// absent is true when the last session got no adapter. Nobody knows that before one is made.
	absent atomic.Bool
}

// Describe implements Accelerator.
func (*webGPU) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: "webgpu", Provider: "WebGpuExecutionProvider", Adapter: "WebGPU"}
}

// Append implements Accelerator. A sentence for people stands before what ONNX Runtime says of a missing adapter, which is for its makers.
func (w *webGPU) Append(options *ort.Options, use AcceleratorUse) error {
	err := options.AppendWebGPU(use.Parameters)
	var native *ort.Error
	absent := errors.As(err, &native) && strings.Contains(native.Message, lacksAdapter)
	if w.absent.Store(absent); !absent {
		return err
	}
	return infer.Errorf(infer.Unsupported, "%s%s%s", withoutAdapter(use), backends.LibrarySays, native.Message)
}

// foresee implements foreseer.
func (w *webGPU) foresee(use AcceleratorUse) error {
	if !w.absent.Load() {
		return nil
	}
	return infer.Errorf(infer.Unsupported, "%s", withoutAdapter(use))
}

// lacksAdapter is what ONNX Runtime says of an adapter, or of a device behind it, that WebGPU does not get.
const lacksAdapter = "Failed to get a WebGPU "

// withoutAdapter says why a model is not loaded.
func withoutAdapter(use AcceleratorUse) string {
	return fmt.Sprintf("model '%s' needs the Execution Accelerator 'webgpu', which %s, or %s", use.Name, backends.NoAdapter, use.without())
}

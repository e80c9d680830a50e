package trial

import (
	"errors"
	"strings"
	"testing"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// What ONNX Runtime says without an adapter for WebGPU is words for its makers. People read a sentence.
func TestNoAdapter(t *testing.T) {
	webGPU, _ := Find("webgpu")
	o := Order{Provider: webGPU, Config: &modelconfig.ModelConfig{Name: "digits"}}
	const raw = "/onnxruntime_src/onnxruntime/core/providers/webgpu/webgpu_context.cc:136 " +
		"adapter_result.status == wgpu::RequestAdapterStatus::Success was false. Failed to get a WebGPU adapter: No supported adapters"
	err := o.refused("Unsupported: model 'digits' needs the Execution Accelerator 'webgpu', which " + backends.NoAdapter + ", or take the accelerator out of the config" +
		backends.LibrarySays + raw)
	var told *LibraryError
	if !errors.As(err, &told) || !errors.Is(err, ErrFailed) || told.Words != raw {
		t.Fatalf("%v", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "digits was not loaded with WebGPU") || !strings.Contains(text, "choose another provider") || strings.Contains(text, "wgpu") || strings.Contains(text, "config") {
		t.Errorf("%q", text)
	}
	err = o.refused("an output is unknown")
	if errors.As(err, &told) || !errors.Is(err, ErrFailed) || !strings.HasSuffix(err.Error(), "with WebGPU: an output is unknown") {
		t.Errorf("another reason: %v", err)
	}
}

package onnx

import (
	"errors"
	"fmt"
	"testing"

	"conch/engine/backend/onnx/ort"
)

// Of a provider that does not start, people read what is missing or what CUDA says, and nothing of ONNX Runtime's own sources.
func TestPlainly(t *testing.T) {
	const place = "/src/provider_bridge_ort.cc:1988 onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : "
	const cuda = "/src/cuda_call.cc:123 std::conditional_t<…> [with ERRTYPE = cudaError; bool THRW = true] "
	for said, want := range map[string]string{
		place + "Failed to load library /a/libonnxruntime_providers_shared.so with error: /a/libonnxruntime_providers_shared.so: cannot open shared object file: No such file or directory": "/a/libonnxruntime_providers_shared.so is missing",
		place + "Failed to load library /a/libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open shared object file: No such file or directory\n":                     "libcublasLt.so.13 is missing",
		place + "Failed to load library /a/libonnxruntime_providers_cuda.so with error: /a/libonnxruntime_providers_cuda.so: file too short":                                                "/a/libonnxruntime_providers_cuda.so: file too short",
		cuda + "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=-1 ; hostname=h ; file=/src/a.cc ; line=282 ; expr=cudaSetDevice(id); ":                 "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version",
		"the device is busy": "the device is busy",
	} {
		if got := plainly(fmt.Errorf("append: %w", &ort.Error{Code: 1, Message: said})); got != want {
			t.Errorf("%s: %s", said, got)
		}
	}
	if got := plainly(errors.New("nothing is there")); got != "nothing is there" {
		t.Error(got)
	}
}

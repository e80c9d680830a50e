package onnx

import "testing"

// Of a provider whose library does not load, people read what is missing.
func TestWhatAProviderLacks(t *testing.T) {
	const begin = "/a/libonnxruntime.so.1 starts no provider for GPUs: CUDAExecutionProvider: onnx runtime error 1: /src/provider_bridge_ort.cc:1988 Get() FAIL : "
	for said, want := range map[string]string{
		begin + "Failed to load library /a/libonnxruntime_providers_shared.so with error: /a/libonnxruntime_providers_shared.so: cannot open shared object file: No such file or directory": "the build in use comes without it (there is no /a/libonnxruntime_providers_shared.so)",
		begin + "Failed to load library /a/libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open shared object file: No such file or directory":                       "libcublasLt.so.13: cannot open shared object file: No such file or directory",
		begin + "CUDA failure 35": begin + "CUDA failure 35",
	} {
		if got := plainly(said); got != want {
			t.Errorf("%s: %s", said, got)
		}
	}
}
